#include "passes/logging/interleave.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/jit/ir/ir.h>

#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/model_graph.h"
#include "ir/verifier.h"
#include "tests/testing/ir.h"
#include "tests/testing/named_graph.h"
#include "tests/testing/short_ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;

// Marks in the host where values come by, with ops that are used nowhere:
//   Meet             aten::equal(a, b)
//   apart, A then B  aten::sin(a), aten::cos(b)
//   alone, A then B  aten::sinh(a), aten::cosh(b)
class Marks final : public MeetingListener {
 public:
  explicit Marks(Graph& host) : host_(host) {}

  absl::Status Meet(size_t point, Value* a, Value* b, Node* place) override {
    seen.push_back(absl::StrCat("meet ", point));
    if (point == fails_at) {
      return absl::InternalError("cannot meet");
    }
    Mark("aten::equal", {a, b}, place);
    return absl::OkStatus();
  }

  absl::Status PassBy(size_t point, bool is_b, Value* value, bool apart,
                      Node* place) override {
    seen.push_back(absl::StrCat(apart ? "apart " : "alone ", is_b ? "b" : "a",
                                " ", point));
    Mark(apart ? (is_b ? "aten::cos" : "aten::sin")
               : (is_b ? "aten::cosh" : "aten::sinh"),
         {value}, place);
    return absl::OkStatus();
  }

  std::vector<std::string> seen;
  size_t fails_at = 1000;

 private:
  void Mark(const char* op, const std::vector<Value*>& values, Node* place) {
    const std::vector<torch::jit::NamedValue> arguments(values.begin(),
                                                        values.end());
    torch::jit::WithInsertPoint at(place);
    host_.insert(c10::Symbol::fromQualString(op), arguments);
  }

  Graph& host_;
};

// Two graphs as one, that takes the inputs of both, and returns what both
// return. Values of one name meet.
class Interleaved {
 public:
  Interleaved(absl::string_view text_a, absl::string_view text_b,
              const std::vector<std::pair<std::string, std::string>>& pairs)
      : a(text_a), b(text_b), host(new Graph), marks(*host) {
    for (const auto& [of_a, of_b] : pairs) {
      points.push_back({a.Named(of_a), b.Named(of_b)});
    }
    AddInputs(*a, copies_a);
    AddInputs(*b, copies_b);
  }

  absl::Status Run() {
    absl::Status status =
        Interleave(*a, *b, points, *host, copies_a, copies_b, marks);
    if (!status.ok()) {
      return status;
    }
    for (const Value* output : a->outputs()) {
      host->registerOutput(copies_a.values.at(output));
    }
    for (const Value* output : b->outputs()) {
      host->registerOutput(copies_b.values.at(output));
    }
    return VerifyGraph(*host);
  }

  NamedGraph a;
  NamedGraph b;
  std::shared_ptr<Graph> host;
  Marks marks;
  std::vector<MeetingPoint> points;
  GraphCopies copies_a;
  GraphCopies copies_b;

 private:
  void AddInputs(const Graph& graph, GraphCopies& copies) {
    for (const Value* input : graph.inputs()) {
      copies.values[input] =
          host->addInput()->copyMetadata(const_cast<Value*>(input));
    }
  }
};

// What the graph of `text` returns.
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

// The host computes what both graphs do.
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

constexpr char kChain[] = R"IR(
graph(%x : Tensor):
  %a : Tensor = aten::neg(%x)
  %b : Tensor = aten::relu(%a)
  return (%b))IR";
constexpr char kLonger[] = R"IR(
graph(%x : Tensor):
  %a : Tensor = aten::abs(%x)
  %extra : Tensor = aten::tanh(%a)
  %b : Tensor = aten::sigmoid(%extra)
  %last : Tensor = aten::exp(%b)
  return (%last))IR";

TEST(InterleaveTest, ValuesMeetAsSoonAsPossible) {
  Interleaved both(kChain, kLonger, {{"a", "a"}, {"b", "b"}});
  NS_ASSERT_OK(both.Run());
  ExpectShortIr(*both.host, R"IR(
%2 = aten::neg(%0)
%3 = aten::abs(%1)
%4 = aten::equal(%2, %3)
%5 = aten::relu(%2)
%6 = aten::tanh(%3)
%7 = aten::sigmoid(%6)
%8 = aten::equal(%5, %7)
%9 = aten::exp(%7)
return (%5, %9))IR");
}

TEST(InterleaveTest, WithoutPointsOneGraphFollowsTheOther) {
  Interleaved both(kChain, kChain, {});
  NS_ASSERT_OK(both.Run());
  EXPECT_THAT(both.marks.seen, IsEmpty());
  ExpectShortIr(*both.host, R"IR(
%2 = aten::neg(%0)
%3 = aten::relu(%2)
%4 = aten::neg(%1)
%5 = aten::relu(%4)
return (%3, %5))IR");
}

TEST(InterleaveTest, TellsWhatBecameOfAllValuesAndNodes) {
  Interleaved both(kChain, kLonger, {{"b", "b"}});
  NS_ASSERT_OK(both.Run());
  for (auto [graph, copies] : {std::pair(both.a.shared(), &both.copies_a),
                               std::pair(both.b.shared(), &both.copies_b)}) {
    for (Node* node : AllNodes(*graph)) {
      ASSERT_TRUE(copies->nodes.contains(node));
      EXPECT_EQ(copies->nodes.at(node)->kind(), node->kind());
      EXPECT_EQ(copies->nodes.at(node)->output(),
                copies->values.at(node->output()));
    }
  }
}

TEST(InterleaveTest, ChangesNeitherGraph) {
  Interleaved both(kChain, kLonger, {{"a", "a"}, {"b", "b"}});
  NS_ASSERT_OK(both.Run());
  ExpectIr(both.a.shared(), kChain);
  ExpectIr(both.b.shared(), kLonger);
}

TEST(InterleaveTest, NodesComeBehindThoseOfTheHost) {
  Interleaved both(kChain, kChain, {});
  Node* first = both.host->insertNode(
      both.host->create(c10::aten::sin, {both.host->inputs()[0]}));
  NS_ASSERT_OK(both.Run());
  EXPECT_EQ(*both.host->nodes().begin(), first);
}

TEST(InterleaveTest, ReturnsTheErrorOfTheListener) {
  Interleaved both(kChain, kChain, {{"a", "a"}, {"b", "b"}});
  both.marks.fails_at = 0;
  EXPECT_EQ(both.Run(), absl::InternalError("cannot meet"));
  EXPECT_THAT(both.marks.seen, ElementsAre("meet 0"));
}

TEST(InterleaveTest, KeepsWhatWaitsFromBeingOverwritten) {
  constexpr char kInPlace[] = R"IR(
graph(%x : Tensor):
  %a : Tensor = aten::neg(%x)
  %b : Tensor = aten::relu_(%a)
  %c : Tensor = aten::exp_(%b)
  return (%c))IR";
  Interleaved both(kInPlace, kLonger, {{"a", "b"}, {"b", "a"}});
  NS_ASSERT_OK(both.Run());
  // What %a was before relu_ overwrote it.
  ExpectShortIr(*both.host, R"IR(
%2 = aten::neg(%0)
%3 = aten::clone(%2, None)
%4 = aten::relu_(%2)
%5 = aten::abs(%1)
%6 = aten::equal(%4, %5)
%7 = aten::tanh(%5)
%8 = aten::sigmoid(%7)
%9 = aten::equal(%3, %8)
%10 = aten::exp_(%4)
%11 = aten::exp(%8)
return (%10, %11))IR");
}

TEST(InterleaveTest, ValuesMeetBeforeWhatOverwritesThem) {
  constexpr char kInPlace[] = R"IR(
graph(%x : Tensor):
  %a : Tensor = aten::neg(%x)
  %b : Tensor = aten::relu_(%a)
  return (%b))IR";
  Interleaved both(kInPlace, kInPlace, {{"a", "a"}, {"b", "b"}});
  NS_ASSERT_OK(both.Run());
  ExpectShortIr(*both.host, R"IR(
%2 = aten::neg(%0)
%3 = aten::neg(%1)
%4 = aten::equal(%2, %3)
%5 = aten::relu_(%2)
%6 = aten::relu_(%3)
%7 = aten::equal(%5, %6)
return (%5, %6))IR");
}

// A list of tensors that waits: an op of A overwrites its first element before
// B comes by.
TEST(InterleaveTest, KeepsListsThatWaitFromBeingOverwritten) {
  constexpr char kList[] = R"IR(
graph(%x : Tensor):
  %two : int = prim::Constant[value=2]()
  %zero : int = prim::Constant[value=0]()
  %list : Tensor[] = aten::chunk(%x, %two, %zero)
  %first : Tensor = aten::__getitem__(%list, %zero)
  %b : Tensor = aten::zero_(%first)
  return (%b))IR";
  constexpr char kListLast[] = R"IR(
graph(%x : Tensor):
  %two : int = prim::Constant[value=2]()
  %zero : int = prim::Constant[value=0]()
  %b : Tensor = aten::relu(%x)
  %list : Tensor[] = aten::chunk(%x, %two, %zero)
  return (%b))IR";
  Interleaved both(kList, kListLast, {{"list", "list"}, {"b", "b"}});
  // Marks what the first elements were.
  class Elements final : public MeetingListener {
   public:
    explicit Elements(Graph& host) : host_(host) {}
    absl::Status Meet(size_t point, Value* a, Value* /*b*/,
                      Node* place) override {
      torch::jit::WithInsertPoint at(place);
      if (point == 0) {
        met = host_.insert(c10::aten::clone, {a});
      }
      return absl::OkStatus();
    }
    absl::Status PassBy(size_t, bool, Value*, bool, Node*) override {
      return absl::OkStatus();
    }
    Value* met = nullptr;

   private:
    Graph& host_;
  } elements(*both.host);
  NS_ASSERT_OK(Interleave(*both.a, *both.b, both.points, *both.host,
                          both.copies_a, both.copies_b, elements));
  both.host->registerOutput(elements.met);
  const at::Tensor x = at::arange(4, at::kFloat) + 1;
  const c10::IValue seen = RunGraph(both.host, {x, x}).at(0);
  EXPECT_TRUE(seen.toTensor().equal(x.slice(0, 0, 2))) << seen;
}

constexpr char kChoice[] = R"IR(
graph(%x : Tensor, %p : bool):
  %y : Tensor = prim::If(%p)
    block0():
      %a : Tensor = aten::relu(%x)
      -> (%a)
    block1():
      %b : Tensor = aten::tanh(%x)
      -> (%b)
  %z : Tensor = aten::neg(%y)
  return (%z))IR";

TEST(InterleaveTest, IfsRunAsOneWhereConditionsAgree) {
  Interleaved both(kChoice, kChoice, {{"a", "a"}, {"b", "b"}, {"z", "z"}});
  NS_ASSERT_OK(both.Run());
  ExpectShortIr(*both.host, R"IR(
%4 = aten::eq(%1, %3)
%23, %24 = prim::If(%4)
  then:
    %11, %12 = prim::If(%1)
      then:
        %5 = aten::relu(%0)
        %6 = aten::relu(%2)
        %7 = aten::equal(%5, %6)
        -> (%5, %6)
      else:
        %8 = aten::tanh(%0)
        %9 = aten::tanh(%2)
        %10 = aten::equal(%8, %9)
        -> (%8, %9)
    -> (%11, %12)
  else:
    %17 = prim::If(%1)
      then:
        %13 = aten::relu(%0)
        %14 = aten::sinh(%13)
        -> (%13)
      else:
        %15 = aten::tanh(%0)
        %16 = aten::sinh(%15)
        -> (%15)
    %22 = prim::If(%3)
      then:
        %18 = aten::relu(%2)
        %19 = aten::cosh(%18)
        -> (%18)
      else:
        %20 = aten::tanh(%2)
        %21 = aten::cosh(%20)
        -> (%20)
    -> (%17, %22)
%25 = aten::neg(%23)
%26 = aten::neg(%24)
%27 = aten::equal(%25, %26)
return (%25, %26))IR");
}

TEST(InterleaveTest, IfsComputeWhatTheyDoAlone) {
  Interleaved both(kChoice, kChoice, {{"a", "a"}, {"b", "b"}, {"z", "z"}});
  NS_ASSERT_OK(both.Run());
  at::manual_seed(1);
  for (const bool of_a : {false, true}) {
    for (const bool of_b : {false, true}) {
      ExpectSameValues(both, {at::randn({3}), of_a}, {at::randn({3}), of_b});
    }
  }
}

constexpr char kNoChoice[] = R"IR(
graph(%x : Tensor, %p : bool):
  %a : Tensor = aten::relu(%x)
  %z : Tensor = aten::neg(%a)
  return (%z))IR";

TEST(InterleaveTest, ApartValuesPassByOnTheirOwn) {
  Interleaved both(kChoice, kNoChoice, {{"a", "a"}, {"z", "z"}});
  NS_ASSERT_OK(both.Run());
  EXPECT_THAT(both.marks.seen, ElementsAre("apart a 0", "apart b 0", "meet 1"));
  ExpectSameValues(both, {at::randn({3}), true}, {at::randn({3}), true});
}

TEST(InterleaveTest, IfsWithoutMeetingsStayPlain) {
  Interleaved both(kChoice, kChoice, {{"z", "z"}});
  NS_ASSERT_OK(both.Run());
  EXPECT_THAT(NodesOf(*both.host, "prim::If"), SizeIs(2));
  EXPECT_THAT(NodesOf(*both.host, "aten::relu"), SizeIs(2));
}

constexpr char kLoop[] = R"IR(
graph(%x : Tensor, %n : int, %stop : int):
  %yes : bool = prim::Constant[value=1]()
  %one : int = prim::Constant[value=1]()
  %go : bool = aten::ge(%stop, %one)
  %y : Tensor, %k : Tensor = prim::Loop(%n, %go, %x, %x)
    block0(%i : int, %v : Tensor, %w : Tensor):
      %a : Tensor = aten::add(%w, %i, %one)
      %b : Tensor = aten::neg(%a)
      %next : int = aten::add(%i, %one)
      %more : bool = aten::lt(%next, %stop)
      -> (%more, %a, %b)
  return (%y, %k))IR";

TEST(InterleaveTest, LoopsGoOnForAsLongAsBothDo) {
  Interleaved both(kLoop, kLoop, {{"a", "a"}, {"b", "b"}});
  NS_ASSERT_OK(both.Run());
  EXPECT_THAT(both.marks.seen,
              ElementsAre("meet 0", "meet 1", "alone a 0", "alone a 1",
                          "alone b 0", "alone b 1"));
  at::manual_seed(1);
  for (const int64_t n_a : {0, 1, 4}) {
    for (const int64_t stop_a : {0, 2, 9}) {
      for (const int64_t n_b : {0, 3}) {
        for (const int64_t stop_b : {0, 1, 9}) {
          SCOPED_TRACE(absl::StrCat(n_a, " ", stop_a, " ", n_b, " ", stop_b));
          ExpectSameValues(both, {at::randn({3}), n_a, stop_a},
                           {at::randn({3}), n_b, stop_b});
        }
      }
    }
  }
}

TEST(InterleaveTest, LoopsWithoutEndRunUntilTheirConditionFails) {
  Interleaved both(kLoop, kLoop, {{"a", "a"}});
  NS_ASSERT_OK(both.Run());
  const int64_t endless = std::numeric_limits<int64_t>::max();
  ExpectSameValues(both, {at::randn({3}), endless, 5},
                   {at::randn({3}), endless, 3});
  ExpectSameValues(both, {at::randn({3}), -1, 5}, {at::randn({3}), 2, 3});
}

constexpr char kNested[] = R"IR(
graph(%x : Tensor, %n : int, %m : int):
  %yes : bool = prim::Constant[value=1]()
  %one : int = prim::Constant[value=1]()
  %y : Tensor = prim::Loop(%n, %yes, %x)
    block0(%i : int, %v : Tensor):
      %a : Tensor = aten::add(%v, %i, %one)
      %first : bool = aten::lt(%i, %m)
      %u : Tensor = prim::If(%first)
        block0():
          %b : Tensor = aten::sin(%a)
          %s : Tensor = prim::Loop(%m, %first, %b)
            block0(%j : int, %t : Tensor):
              %c : Tensor = aten::add(%t, %j, %one)
              -> (%yes, %c)
          -> (%s)
        block1():
          %d : Tensor = aten::cos(%a)
          -> (%d)
      -> (%yes, %u)
  return (%y))IR";

TEST(InterleaveTest, NestedControlFlowComputesWhatItDoesAlone) {
  Interleaved both(kNested, kNested,
                   {{"a", "a"}, {"b", "b"}, {"c", "c"}, {"d", "d"}});
  NS_ASSERT_OK(both.Run());
  at::manual_seed(1);
  for (const int64_t n_a : {0, 3}) {
    for (const int64_t m_a : {0, 2, 5}) {
      for (const int64_t n_b : {1, 3, 4}) {
        for (const int64_t m_b : {0, 1, 2}) {
          SCOPED_TRACE(absl::StrCat(n_a, " ", m_a, " ", n_b, " ", m_b));
          ExpectSameValues(both, {at::randn({3}), n_a, m_a},
                           {at::randn({3}), n_b, m_b});
        }
      }
    }
  }
}

TEST(InterleaveTest, ValuesOfOneNodeAndParametersMeet) {
  Interleaved both(kLoop, kLoop,
                   {{"y", "k"}, {"k", "y"}, {"v", "a"}, {"x", "x"}});
  NS_ASSERT_OK(both.Run());
  EXPECT_THAT(both.marks.seen, ElementsAre("meet 3", "meet 2", "alone a 2",
                                           "alone b 2", "meet 0", "meet 1"));
  ExpectSameValues(both, {at::randn({3}), 3, 9}, {at::randn({3}), 2, 9});
}

}  // namespace
}  // namespace ns
