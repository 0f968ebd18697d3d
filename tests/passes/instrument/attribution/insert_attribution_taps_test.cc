#include "passes/instrument/attribution/insert_attribution_taps.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <memory>
#include <utility>

#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/flatten/inline_modules.h"
#include "tests/testing/ir.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

// Two models with taps.
struct Tapped {
  Tapped(absl::string_view text_a, absl::string_view text_b)
      : Tapped(ModelOf(text_a), ModelOf(text_b)) {}
  Tapped(ModelGraph model_a, ModelGraph model_b)
      : a(std::move(model_a)),
        b(std::move(model_b)),
        matches(OrThrow(MatchSubgraphs(a, b))),
        taps(OrThrow(InsertAttributionTaps(a, b, matches, run))) {}

  ModelGraph a;
  ModelGraph b;
  MatchResult matches;
  std::shared_ptr<AttributionRun> run = std::make_shared<AttributionRun>();
  AttributionTaps taps;
};

// A copy of the graph in which objects have no class: the text of a graph
// cannot name them.
std::shared_ptr<torch::jit::Graph> WithoutClasses(const ModelGraph& model) {
  auto graph = model.graph().copy();
  graph->inputs()[0]->setType(c10::TensorType::get());
  for (torch::jit::Node* node : NodesOf(*graph, "prim::GetAttr")) {
    node->output()->setType(c10::TensorType::get());
  }
  return graph;
}

TEST(InsertAttributionTapsTest, TapsStandBehindLayersOfBothModels) {
  const Tapped models(R"IR(
graph(%x : Tensor):
  %r : Tensor = aten::relu(%x)
  %s : Tensor = aten::sigmoid(%r)
  return (%s))IR",
                      R"IR(
graph(%x : Tensor):
  %r : Tensor = aten::relu(%x)
  %s : Tensor = aten::sigmoid(%r)
  return (%s))IR");
  EXPECT_THAT(models.taps, SizeIs(2));
  ExpectIr(WithoutClasses(models.a), R"IR(
graph(%self, %x : Tensor):
  %r : Tensor = aten::relu(%x)
  %tap = prim::GetAttr[name="ns_attribution_tap_0"](%self)
  %1 : Tensor = prim::CallMethod[name="forward"](%tap, %r)
  %s : Tensor = aten::sigmoid(%1)
  %tap.2 = prim::GetAttr[name="ns_attribution_tap_1"](%self)
  %2 : Tensor = prim::CallMethod[name="forward"](%tap.2, %s)
  return (%2))IR");
  ExpectIr(WithoutClasses(models.b), R"IR(
graph(%self, %x : Tensor):
  %r : Tensor = aten::relu(%x)
  %tap = prim::GetAttr[name="ns_attribution_tap_0"](%self)
  %1 : NoneType = prim::CallMethod[name="see"](%tap, %r)
  %s : Tensor = aten::sigmoid(%r)
  %tap.2 = prim::GetAttr[name="ns_attribution_tap_1"](%self)
  %2 : NoneType = prim::CallMethod[name="see"](%tap.2, %s)
  return (%s))IR");
}

// A module that is one op and returns a tuple: the layers after it have no
// error that is its own.
TEST(InsertAttributionTapsTest, ElementsOfATupleAreTapped) {
  ModelGraphOptions options;
  options.is_leaf = LeafTypes({"Pair"});
  const ModelGraph model = OrThrow(ModelGraph::FromModule(
      MakeModel(
          {{"pair",
            MakeModule("Pair",
                       "def forward(self, x: Tensor) -> Tuple[Tensor, "
                       "Tensor]:\n"
                       "    return (torch.relu(x), torch.sigmoid(x))\n")}},
          {"y, z = self.pair.forward(x)", "return torch.tanh(y) + z"}),
      options));
  Tapped models(OrThrow(model.Clone()), OrThrow(model.Clone()));
  ASSERT_THAT(models.taps.at(0), SizeIs(2));
  const auto run = [&](ModelGraph& tapped, AttributionRun what,
                       const at::Tensor& x) {
    *models.run = what;
    for (const auto& taps : models.taps) {
      for (const AttributionTapPtr& tap : taps) {
        tap->Begin();
      }
    }
    return OrThrow(tapped.Run({x})).toTensor();
  };
  const at::Tensor x = at::tensor({-1.0f, 2.0f});
  const at::Tensor other = at::tensor({3.0f, 4.0f});
  const at::Tensor of_a = run(models.a, AttributionRun::kFloat, x);
  EXPECT_TRUE(of_a.allclose(x.relu().tanh() + x.sigmoid()));
  run(models.b, AttributionRun::kQuantized, other);
  run(models.a, AttributionRun::kErrors, x);
  ASSERT_THAT(models.taps, SizeIs(3));
  const at::Tensor of_relu = models.taps[0][0]->errors().at(0);
  EXPECT_TRUE(of_relu.allclose(other.relu() - x.relu()));
  const at::Tensor of_tanh = models.taps[1][0]->errors().at(0);
  EXPECT_TRUE(of_tanh.allclose(at::zeros(2)));
}

// The sigmoid takes the value in float in both models.
TEST(InsertAttributionTapsTest, WhatIsQuantizedGoesToThoseThatTakeItInB) {
  const Tapped models(R"IR(
graph(%x : Tensor):
  %r : Tensor = aten::relu(%x)
  %s : Tensor = aten::sigmoid(%x)
  %y : (Tensor, Tensor) = prim::TupleConstruct(%r, %s)
  return (%y))IR",
                      R"IR(
graph(%x : Tensor):
  %scale : float = prim::Constant[value=0.1]()
  %zero_point : int = prim::Constant[value=64]()
  %dtype : int = prim::Constant[value=13]()
  %q : Tensor = aten::quantize_per_tensor(%x, %scale, %zero_point, %dtype)
  %rq : Tensor = aten::relu(%q)
  %r : Tensor = aten::dequantize(%rq)
  %s : Tensor = aten::sigmoid(%x)
  %y : (Tensor, Tensor) = prim::TupleConstruct(%r, %s)
  return (%y))IR");
  ExpectIr(WithoutClasses(models.a), R"IR(
graph(%self, %x : Tensor):
  %tap = prim::GetAttr[name="ns_attribution_tap_0"](%self)
  %1 : Tensor = prim::CallMethod[name="forward"](%tap, %x)
  %r : Tensor = aten::relu(%1)
  %tap.2 = prim::GetAttr[name="ns_attribution_tap_1"](%self)
  %2 : Tensor = prim::CallMethod[name="forward"](%tap.2, %r)
  %s : Tensor = aten::sigmoid(%x)
  %tap.3 = prim::GetAttr[name="ns_attribution_tap_2"](%self)
  %3 : Tensor = prim::CallMethod[name="forward"](%tap.3, %s)
  %y : (Tensor, Tensor) = prim::TupleConstruct(%2, %3)
  return (%y))IR");
}

TEST(InsertAttributionTapsTest, ModelsThatWriteInPlaceCanBeDifferentiated) {
  constexpr char kInPlace[] = R"IR(
graph(%x : Tensor):
  %one : int = prim::Constant[value=1]()
  %s : Tensor = aten::sigmoid(%x)
  %t : Tensor = aten::add_(%s, %x, %one)
  return (%t))IR";
  Tapped models(kInPlace, kInPlace);
  const at::Tensor x = at::arange(4, at::kFloat);
  *models.run = AttributionRun::kFloat;
  EXPECT_TRUE(OrThrow(models.a.Run({x})).toTensor().allclose(x.sigmoid() + x));
}

// The lists have no tap, and neither does what stands for them.
TEST(InsertAttributionTapsTest, ListsHaveNoTaps) {
  constexpr char kChunk[] = R"IR(
graph(%x : Tensor):
  %two : int = prim::Constant[value=2]()
  %one : int = prim::Constant[value=1]()
  %l : Tensor[] = aten::chunk(%x, %two, %one)
  return (%l))IR";
  const Tapped models(kChunk, kChunk);
  for (const auto& taps : models.taps) {
    EXPECT_THAT(taps, IsEmpty());
  }
}

}  // namespace
}  // namespace ns
