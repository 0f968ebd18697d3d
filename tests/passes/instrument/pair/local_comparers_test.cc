#include "passes/instrument/pair/local_comparers.h"

#include <ATen/ATen.h>
#include <torch/csrc/jit/ir/ir.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/graph/verifier.h"
#include "ir/model/model_graph.h"
#include "passes/analysis/subgraph.h"
#include "passes/instrument/pair/attached_comparer.h"
#include "passes/instrument/pair/interleave.h"
#include "passes/instrument/pair/pair_plan.h"
#include "passes/instrument/pair/paired_models.h"
#include "passes/instrument/shadow_inserter.h"
#include "passes/instrument/variants/insert_variant.h"
#include "passes/matching/graph_matcher.h"
#include "passes/rewrite/copy_subgraph.h"
#include "tests/passes/instrument/shadowed.h"
#include "tests/testing/ir.h"
#include "tests/testing/paired.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAreArray;
using ::torch::jit::Node;
using ::torch::jit::Value;

constexpr char kGelu[] = R"IR(
graph(%x : Tensor):
  %how : str = prim::Constant[value="none"]()
  %y : Tensor = aten::gelu(%x, %how)
  return (%y))IR";

constexpr char kConv[] = R"IR(
graph(%x : Tensor, %packed : __torch__.torch.classes.quantized.Conv2dPackedParamsBase, %scale : float, %zero_point : int):
  %y : Tensor = quantized::conv2d(%x, %packed, %scale, %zero_point)
  return (%y))IR";

// The side of a match that all of `ops` make, the first of which is the base.
MatchedSide SideOf(const ModelGraph& model,
                   const std::vector<std::string>& ops) {
  MatchedSide side;
  for (const std::string& op : ops) {
    side.subgraph.nodes.push_back(NodeOf(model.graph(), op));
  }
  side.subgraph.start = side.subgraph.base = side.subgraph.nodes.front();
  side.subgraph.end = side.subgraph.nodes.back();
  side.output = side.subgraph.end->output(0);
  return side;
}

// B in a host of its own, and the comparers of its one match with A.
struct Local {
  Local(absl::string_view text_a, const std::vector<std::string>& ops_a,
        absl::string_view text_b, const std::vector<std::string>& ops_b,
        PairPlan with)
      : a(ModelOf(text_a)), b(ModelOf(text_b)), plan(std::move(with)) {
    matches.matches.push_back(
        {"layer", SideOf(a, ops_a), SideOf(b, ops_b), false, ""});
    const std::vector<Node*> nodes = AllNodes(b.graph());
    const std::vector<Node*> in_host = AllNodes(pair.model.graph());
    for (size_t i = 0; i < nodes.size(); ++i) {
      copies.nodes[nodes[i]] = in_host.at(i);
    }
    output = copies.nodes.lookup(matches.matches[0].b.subgraph.end)->output(0);
    comparers = std::make_unique<LocalComparers>(
        a, b, matches, plan, pair.model, copies, counterparts, attached);
  }
  Local(const Local&) = delete;

  // Makes a shadow and compares with it.
  absl::Status Compare() {
    comparers->MakeShadow(0, output);
    return comparers->CompareWithShadow(0, *output,
                                        comparers->ShadowOf(0)->tensors.at(0),
                                        output, output->node()->next());
  }

  // Completes the host and runs it. Returns the comparers of the match.
  const PairComparers& Run(const std::vector<c10::IValue>& inputs) {
    NS_EXPECT_OK(comparers->Finish());
    NS_EXPECT_OK(VerifyGraph(pair.model.graph()));
    OrThrow(pair.model.Run(inputs));
    comparers->HandOver(pair);
    return pair.comparers.at(0);
  }

  ModelGraph a;
  ModelGraph b;
  PairPlan plan;
  MatchResult matches;
  PairedModels pair{OrThrow(b.Clone()), {}, {}, {}, {}};
  GraphCopies copies;
  ValueCounterparts counterparts;
  int attached = 0;
  // Of B, in the host.
  Value* output = nullptr;
  std::unique_ptr<LocalComparers> comparers;
};

class LocalComparersTest : public ::testing::Test {
 protected:
  static Local Add(const PairPlan& plan) {
    return {kFloatAdd,
            {"aten::add", "aten::relu"},
            kQuantizedAdd,
            {"quantized::add_relu"},
            plan};
  }
  static Local Gelu(const PairPlan& plan) {
    return {kGelu, {"aten::gelu"}, kGelu, {"aten::gelu"}, plan};
  }
  static PairPlan Shadowing() {
    PairPlan plan;
    plan.shadows = true;
    plan.guard_shadows = false;
    return plan;
  }

  // No sum is half way between two steps of 0.5.
  const at::Tensor q_ = at::quantize_per_tensor(
      at::tensor({-2.0F, -0.3F, 0.4F, 1.7F}), 0.1, 40, at::kQUInt8);
  const at::Tensor sum_ = (q_.dequantize() * 2).relu();
  const at::Tensor quantized_ =
      at::quantize_per_tensor(sum_, 0.5, 0, at::kQUInt8);
};

TEST_F(LocalComparersTest, WhatNobodyAsksForCostsNothing) {
  Local local = Add({});
  NS_ASSERT_OK(local.comparers->CompareKernel(0));
  EXPECT_EQ(local.comparers->ShadowOf(0), nullptr);
  EXPECT_FALSE(local.comparers->LacksShadow(0));
  const PairComparers& none = local.Run({q_, q_});
  EXPECT_THAT(none.All(), IsEmpty());
  EXPECT_FALSE(HasComparers(local.pair.model.module()));
  EXPECT_EQ(local.attached, 0);
}

TEST_F(LocalComparersTest, KernelsAreComparedWithTheirReference) {
  PairPlan plan;
  plan.kernels = true;
  Local local = Add(plan);
  NS_ASSERT_OK(local.comparers->CompareKernel(0));
  ExpectCompared(local.Run({q_, q_}).kernel, {quantized_}, {quantized_});
  EXPECT_THAT(local.pair.no_reference, IsEmpty());
}

TEST_F(LocalComparersTest, AQuantizedOpWithoutAReferenceIsListed) {
  PairPlan plan;
  plan.kernels = true;
  Local conv(kConv, {"quantized::conv2d"}, kConv, {"quantized::conv2d"}, plan);
  NS_ASSERT_OK(conv.comparers->CompareKernel(0));
  conv.comparers->HandOver(conv.pair);
  EXPECT_EQ(conv.pair.comparers.at(0).kernel, nullptr);
  ASSERT_THAT(conv.pair.no_reference, SizeIs(1));
  EXPECT_EQ(conv.pair.no_reference[0].name, "layer");
  EXPECT_EQ(conv.pair.no_reference[0].reason,
            "its packed parameters are not constant");
  // A float op has no kernel to speak of.
  Local gelu = Gelu(plan);
  NS_ASSERT_OK(gelu.comparers->CompareKernel(0));
  EXPECT_EQ(gelu.Run({at::ones({2})}).kernel, nullptr);
  EXPECT_THAT(gelu.pair.no_reference, IsEmpty());
}

TEST_F(LocalComparersTest, ShadowsOfQuantizedOpsAreFloatNodesThatBHas) {
  Local add = Add(Shadowing());
  add.comparers->MakeShadow(0, add.output);
  const InsertedShadow* shadow = add.comparers->ShadowOf(0);
  ASSERT_NE(shadow, nullptr);
  EXPECT_THAT(shadow->tensors, SizeIs(1));
  EXPECT_THAT(add.comparers->quantized_elsewhere(),
              UnorderedElementsAreArray(shadow->subgraph->nodes));
  EXPECT_EQ(add.counterparts.lookup(add.matches.matches[0].a.output),
            add.output);
  Local gelu = Gelu(Shadowing());
  gelu.comparers->MakeShadow(0, gelu.output);
  EXPECT_NE(gelu.comparers->ShadowOf(0), nullptr);
  EXPECT_THAT(gelu.comparers->quantized_elsewhere(), IsEmpty());
}

// The newest copy counts: the shadow of an earlier one is of no use to it.
TEST_F(LocalComparersTest, WithoutACopyOfItsNodesAMatchHasNoShadow) {
  Local local = Add(Shadowing());
  local.comparers->MakeShadow(0, local.output);
  local.copies.nodes.clear();
  local.comparers->MakeShadow(0, local.output);
  EXPECT_EQ(local.comparers->ShadowOf(0), nullptr);
  EXPECT_TRUE(local.comparers->LacksShadow(0));
  local.comparers->HandOver(local.pair);
  ASSERT_THAT(local.pair.not_shadowed, SizeIs(1));
  EXPECT_EQ(local.pair.not_shadowed[0].name, "layer");
  EXPECT_EQ(local.pair.not_shadowed[0].reason,
            "it is control flow in which other layers are compared");
}

TEST_F(LocalComparersTest, TheVariantIsComparedWithTheShadow) {
  PairPlan plan = Shadowing();
  plan.variants = {LayerVariant()};
  Local local = Add(plan);
  NS_ASSERT_OK(local.Compare());
  const PairComparers& compared = local.Run({q_, q_});
  ExpectCompared(compared.variant, {sum_}, {quantized_});
  EXPECT_EQ(compared.activation_only, nullptr);
}

TEST_F(LocalComparersTest, AVariantMayBeMissingOrRefused) {
  PairPlan plan = Shadowing();
  LayerVariant refused;
  refused.constants = {{9, 0.25}};
  for (const std::optional<LayerVariant>& variant :
       {std::optional<LayerVariant>(), std::make_optional(refused)}) {
    plan.variants = {variant};
    Local local = Add(plan);
    NS_ASSERT_OK(local.Compare());
    EXPECT_EQ(local.Run({q_, q_}).variant, nullptr);
  }
}

// Of an op without weights, its activation is all that is rounded.
TEST_F(LocalComparersTest, PartsRoundTheOutputAsBDoes) {
  PairPlan plan = Shadowing();
  plan.parts = true;
  Local add = Add(plan);
  NS_ASSERT_OK(add.Compare());
  const PairComparers& parts = add.Run({q_, q_});
  ExpectCompared(parts.activation_only, {sum_}, {quantized_});
  EXPECT_EQ(parts.weight_only, nullptr);
  Local gelu = Gelu(plan);
  NS_ASSERT_OK(gelu.Compare());
  EXPECT_THAT(gelu.Run({at::ones({2})}).All(), IsEmpty());
}

}  // namespace
}  // namespace ns
