#include "passes/instrument/pair/interleave.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/jit/ir/ir.h>

#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/interleaved.h"
#include "tests/testing/ir.h"
#include "tests/testing/short_ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;

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
      ASSERT_TRUE(copies->nodes.count(node));
      EXPECT_EQ(copies->nodes.lookup(node)->kind(), node->kind());
      EXPECT_EQ(copies->nodes.lookup(node)->output(),
                copies->values.lookup(node->output()));
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

// Keeps what the values of A were when they met.
class CopiesOfA final : public MeetingListener {
 public:
  explicit CopiesOfA(Graph& host) : host_(host) {}
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
};

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
  CopiesOfA elements(*both.host);
  NS_ASSERT_OK(Interleave(*both.a, *both.b, both.points, *both.host,
                          both.copies_a, both.copies_b, elements));
  both.host->registerOutput(elements.met);
  const at::Tensor x = at::arange(4, at::kFloat) + 1;
  const c10::IValue seen = RunGraph(both.host, {x, x}).at(0);
  EXPECT_TRUE(seen.toTensor().equal(x.slice(0, 0, 2))) << seen;
}

// Of a tuple that waits, the tensor that meets is kept.
TEST(InterleaveTest, KeepsTheTensorOfATupleThatWaits) {
  constexpr char kTuple[] = R"IR(
graph(%x : Tensor):
  %n : Tensor = aten::neg(%x)
  %t : (Tensor, Tensor) = prim::TupleConstruct(%x, %n)
  %z : Tensor = aten::zero_(%n)
  return (%z))IR";
  constexpr char kTupleLast[] = R"IR(
graph(%x : Tensor):
  %z : Tensor = aten::relu(%x)
  %n : Tensor = aten::neg(%x)
  %t : (Tensor, Tensor) = prim::TupleConstruct(%x, %n)
  return (%z))IR";
  Interleaved both(kTuple, kTupleLast, {{"t", "t"}, {"z", "z"}});
  both.points[0].place_a = 1;
  CopiesOfA copies(*both.host);
  NS_ASSERT_OK(Interleave(*both.a, *both.b, both.points, *both.host,
                          both.copies_a, both.copies_b, copies));
  both.host->registerOutput(copies.met);
  const at::Tensor x = at::arange(4, at::kFloat) + 1;
  const c10::IValue seen = RunGraph(both.host, {x, x}).at(0);
  EXPECT_TRUE(seen.toTensor().equal(-x)) << seen;
}

}  // namespace
}  // namespace ns
