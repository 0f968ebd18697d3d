#include "tests/testing/interleaved.h"

#include <ATen/Functions.h>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ir/graph/verifier.h"
#include "ir/model/model_graph.h"
#include "tests/testing/status.h"

namespace ns {

using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;

absl::Status Marks::Meet(size_t point, Value* a, Value* b, Node* place) {
  seen.push_back(absl::StrCat("meet ", point));
  if (point == fails_at) {
    return absl::InternalError("cannot meet");
  }
  Mark("aten::equal", {a, b}, place);
  return absl::OkStatus();
}

absl::Status Marks::PassBy(size_t point, bool is_b, Value* value, bool apart,
                           Node* place) {
  seen.push_back(
      absl::StrCat(apart ? "apart " : "alone ", is_b ? "b" : "a", " ", point));
  Mark(apart ? (is_b ? "aten::cos" : "aten::sin")
             : (is_b ? "aten::cosh" : "aten::sinh"),
       {value}, place);
  return absl::OkStatus();
}

void Marks::Mark(const char* op, const std::vector<Value*>& values,
                 Node* place) {
  const std::vector<torch::jit::NamedValue> arguments(values.begin(),
                                                      values.end());
  torch::jit::WithInsertPoint at(place);
  host_.insert(c10::Symbol::fromQualString(op), arguments);
}

Interleaved::Interleaved(
    absl::string_view text_a, absl::string_view text_b,
    const std::vector<std::pair<std::string, std::string>>& pairs)
    : a(text_a), b(text_b), host(new Graph), marks(*host) {
  for (const auto& [of_a, of_b] : pairs) {
    points.push_back({a.Named(of_a), b.Named(of_b)});
  }
  AddInputs(*a, copies_a);
  AddInputs(*b, copies_b);
}

absl::Status Interleaved::Run() {
  absl::Status status =
      Interleave(*a, *b, points, *host, copies_a, copies_b, marks);
  if (!status.ok()) {
    return status;
  }
  for (const Value* output : a->outputs()) {
    host->registerOutput(copies_a.values.lookup(output));
  }
  for (const Value* output : b->outputs()) {
    host->registerOutput(copies_b.values.lookup(output));
  }
  return VerifyGraph(*host);
}

void Interleaved::AddInputs(const Graph& graph, GraphCopies& copies) {
  for (const Value* input : graph.inputs()) {
    copies.values[input] =
        host->addInput()->copyMetadata(const_cast<Value*>(input));
  }
}

std::vector<c10::IValue> RunGraph(const std::shared_ptr<Graph>& graph,
                                  const std::vector<c10::IValue>& inputs) {
  const std::shared_ptr<Graph> copy = graph->copy();
  std::vector<Value*> outputs = copy->outputs().vec();
  while (!copy->outputs().empty()) {
    copy->eraseOutput(0);
  }
  copy->registerOutput(copy->insertNode(copy->createTuple(outputs))->output());
  std::vector<c10::IValue> copies;
  copies.reserve(inputs.size());
  for (const c10::IValue& input : inputs) {
    copies.push_back(input.deepcopy());
  }
  ModelGraph model = OrThrow(ModelGraph::FromGraph(copy));
  return OrThrow(model.Run(copies)).toTupleRef().elements().vec();
}

void ExpectSameValues(Interleaved& both, const std::vector<c10::IValue>& of_a,
                      const std::vector<c10::IValue>& of_b) {
  std::vector<c10::IValue> inputs = of_a;
  inputs.insert(inputs.end(), of_b.begin(), of_b.end());
  const std::vector<c10::IValue> actual = RunGraph(both.host, inputs);
  std::vector<c10::IValue> expected = RunGraph(both.a.shared(), of_a);
  for (const c10::IValue& value : RunGraph(both.b.shared(), of_b)) {
    expected.push_back(value);
  }
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    EXPECT_TRUE(actual[i].toTensor().equal(expected[i].toTensor())) << i;
  }
}

}  // namespace ns
