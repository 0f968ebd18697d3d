#include "tests/testing/paired.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/ir/ir.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ir/flatten/inline_modules.h"
#include "ir/graph/verifier.h"
#include "passes/runtime/loggers/pair_comparer.h"
#include "passes/runtime/statistics/pair_statistics.h"
#include "tests/testing/ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using IValues = std::vector<c10::IValue>;

IValues Copies(const IValues& values) {
  IValues copies;
  copies.reserve(values.size());
  for (const c10::IValue& value : values) {
    copies.push_back(value.deepcopy());
  }
  return copies;
}

}  // namespace

PairPlan Activations() {
  PairPlan plan;
  plan.exact = true;
  return plan;
}

PairPlan Shadows() {
  PairPlan plan = Activations();
  plan.activations = false;
  plan.shadows = true;
  return plan;
}

PairPlan All() {
  PairPlan plan = Activations();
  plan.shadows = true;
  return plan;
}

ModelGraph ModelOfModule(const torch::jit::Module& module,
                         const std::vector<std::string>& leaves) {
  ModelGraphOptions options;
  if (!leaves.empty()) {
    options.is_leaf = LeafTypes(leaves);
  }
  return OrThrow(ModelGraph::FromModule(module, options));
}

ModelGraph ModelOfSource(const std::string& source,
                         const Attributes& attributes,
                         const Submodules& submodules) {
  return ModelOfModule(MakeModule("Model", source, attributes, submodules));
}

void ExpectEqualValues(const c10::IValue& actual, const c10::IValue& expected) {
  ASSERT_EQ(actual.tagKind(), expected.tagKind());
  if (expected.isTensor()) {
    const at::Tensor& x = actual.toTensor();
    const at::Tensor& y = expected.toTensor();
    EXPECT_EQ(x.is_quantized(), y.is_quantized());
    EXPECT_TRUE(x.equal(y)) << x << y;
  } else if (expected.isTuple()) {
    const auto& x = actual.toTupleRef().elements();
    const auto& y = expected.toTupleRef().elements();
    ASSERT_EQ(x.size(), y.size());
    for (size_t i = 0; i < x.size(); ++i) {
      ExpectEqualValues(x[i], y[i]);
    }
  } else if (expected.isList()) {
    ASSERT_EQ(actual.toListRef().size(), expected.toListRef().size());
    for (size_t i = 0; i < expected.toListRef().size(); ++i) {
      ExpectEqualValues(actual.toListRef()[i], expected.toListRef()[i]);
    }
  } else {
    EXPECT_EQ(actual, expected);
  }
}

MatchResult MatchOps(const ModelGraph& a, const ModelGraph& b,
                     const std::vector<std::string>& ops) {
  const auto side = [](const ModelGraph& model, const std::string& op) {
    torch::jit::Node* node = NodeOf(model.graph(), absl::StrCat("aten::", op));
    MatchedSide matched;
    matched.subgraph = {node, node, node, {node}};
    matched.output = node->output(0);
    return matched;
  };
  MatchResult result;
  for (const std::string& op : ops) {
    SubgraphMatch match;
    match.name = op;
    match.a = side(a, op);
    match.b = side(b, op);
    result.matches.push_back(std::move(match));
  }
  return result;
}

void ExpectCompared(const PairComparerPtr& comparer,
                    const std::vector<at::Tensor>& x,
                    const std::vector<at::Tensor>& y) {
  ASSERT_NE(comparer, nullptr);
  PairStatistics expected;
  for (size_t i = 0; i < x.size(); ++i) {
    expected.Merge(ComparePair(x[i], y[i]));
  }
  const PairStatistics& actual = comparer->record().pooled.sums;
  EXPECT_EQ(actual.count, expected.count);
  EXPECT_NEAR(actual.sum_x2, expected.sum_x2, 1e-6 * expected.sum_x2);
  EXPECT_NEAR(actual.sum_y2, expected.sum_y2, 1e-6 * expected.sum_y2);
  EXPECT_NEAR(actual.sum_e2, expected.sum_e2, 1e-6 * expected.sum_e2);
  EXPECT_EQ(actual.max_abs_error, expected.max_abs_error);
  EXPECT_EQ(comparer->problem(), "");
}

Paired::Paired(ModelGraph model_a, ModelGraph model_b, const PairPlan& plan,
               const std::vector<std::string>& ops)
    : a(std::move(model_a)),
      b(std::move(model_b)),
      matches(ops.empty() ? OrThrow(MatchSubgraphs(a, b))
                          : MatchOps(a, b, ops)),
      pair(OrThrow(PairModels(a, b, matches, plan))) {
  NS_EXPECT_OK(VerifyGraph(pair.model.graph()));
}

Paired::Paired(absl::string_view text_a, absl::string_view text_b,
               const PairPlan& plan, const std::vector<std::string>& ops)
    : Paired(ModelOf(text_a), ModelOf(text_b), plan, ops) {}

std::pair<c10::IValue, c10::IValue> Paired::Run(const IValues& of_a,
                                                const IValues& of_b) {
  const c10::IValue results = OrThrow(pair.model.Run(Arguments(of_a, of_b)));
  for (const PairComparers& comparers : pair.comparers) {
    for (const PairComparerPtr& comparer : comparers.All()) {
      comparer->EndBatch();
    }
  }
  const auto& both = results.toTupleRef().elements();
  EXPECT_EQ(both.size(), 2);
  return {both[0], both[1]};
}

void Paired::ExpectSameAsAlone(const IValues& of_a, const IValues& of_b) {
  const auto actual = Run(of_a, of_b);
  ModelGraph alone_a = OrThrow(a.Clone());
  ModelGraph alone_b = OrThrow(b.Clone());
  ExpectEqualValues(actual.first, OrThrow(alone_a.Run(Copies(of_a))));
  ExpectEqualValues(actual.second, OrThrow(alone_b.Run(Copies(of_b))));
}

Paired::IValues Paired::Arguments(const IValues& of_a,
                                  const IValues& of_b) const {
  IValues arguments = Copies(of_a);
  for (const size_t i : pair.own_inputs_of_b) {
    arguments.push_back(of_b.at(i).deepcopy());
  }
  return arguments;
}

const PairComparers& Paired::At(const std::string& name) const {
  for (size_t i = 0; i < matches.matches.size(); ++i) {
    if (matches.matches[i].name == name) {
      return pair.comparers[i];
    }
  }
  throw std::runtime_error(absl::StrCat("no match ", name));
}

PairComparerPtr Paired::Activation(const std::string& name) const {
  return At(name).activation;
}

PairComparerPtr Paired::Shadow(const std::string& name) const {
  return At(name).shadow;
}

PairComparerPtr Paired::Inherited(const std::string& name) const {
  return At(name).inherited;
}

PairModelsTest::PairModelsTest() {
  at::manual_seed(9);
  x_ = at::randn({2, 4});
}

}  // namespace ns
