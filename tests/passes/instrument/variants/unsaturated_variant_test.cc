#include "passes/instrument/variants/unsaturated_variant.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/ir/ir.h>

#include <optional>

#include "gtest/gtest.h"
#include "ir/graph/verifier.h"
#include "passes/instrument/variants/insert_variant.h"
#include "tests/testing/ir.h"
#include "tests/testing/paired.h"
#include "tests/testing/small_layers.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::torch::jit::Value;

constexpr char kLinearClamp[] =
    "def forward(self, x: Tensor) -> Tensor:\n"
    "    y = ops.ns.fbgemm_linear(x, self.layer, 0.5, 3)\n"
    "    return ops.ns.fbgemm_clamp(y, 0., 100.)\n";

ModelGraph LinearClamp(const at::Tensor& weight,
                       kernels::SaturationMode numerics) {
  return ModelOfSource(kLinearClamp,
                       {{"layer", LinearLayer(weight, numerics)}});
}

Subgraph LinearAndClamp(const ModelGraph& model) {
  Subgraph subgraph;
  subgraph.start = subgraph.base = NodeOf(model.graph(), "ns::fbgemm_linear");
  subgraph.end = NodeOf(model.graph(), "ns::fbgemm_clamp");
  subgraph.nodes = {subgraph.start, subgraph.end};
  return subgraph;
}

TEST(UnsaturatedVariantTest, GivesWhatTheExactModelGives) {
  const at::Tensor weight = RandomInt8({8, 16}, 127);
  const at::Tensor codes = RandomCodes({4, 16}, 150);
  ModelGraph model = LinearClamp(weight, kernels::SaturationMode::kFbgemmAvx2);
  ModelGraph exact = LinearClamp(weight, kernels::SaturationMode::kExact);
  const c10::IValue before = OrThrow(model.Run({codes}));
  const Subgraph subgraph = LinearAndClamp(model);
  const std::optional<LayerVariant> variant =
      UnsaturatedVariant(*subgraph.base);
  ASSERT_TRUE(variant.has_value());
  Value* copy = OrThrow(InsertVariant(model, subgraph, *subgraph.end->output(),
                                      subgraph.start, *variant))
                    .output;
  NS_EXPECT_OK(VerifyGraph(model.graph()));
  // Copies: a graph that has run may run as it was.
  ModelGraph with_copy = OrThrow(model.Clone());
  ExpectEqualValues(OrThrow(with_copy.Run({codes})), before);
  model.graph().return_node()->replaceInput(0, copy);
  ModelGraph only_copy = OrThrow(model.Clone());
  const c10::IValue of_copy = OrThrow(only_copy.Run({codes}));
  ExpectEqualValues(of_copy, OrThrow(exact.Run({codes})));
  EXPECT_FALSE(
      at::equal(of_copy.toTensor().int_repr(), before.toTensor().int_repr()));
}

TEST(UnsaturatedVariantTest, ThereIsNoneOfALayerThatCannotSaturate) {
  const ModelGraph model = LinearClamp(RandomInt8({8, 16}, 63),
                                       kernels::SaturationMode::kFbgemmAvx2);
  EXPECT_FALSE(UnsaturatedVariant(*NodeOf(model.graph(), "ns::fbgemm_linear")));
}

TEST(UnsaturatedVariantTest, ThereIsNoneOfOtherOps) {
  const ModelGraph model = LinearClamp(RandomInt8({8, 16}, 127),
                                       kernels::SaturationMode::kFbgemmAvx2);
  EXPECT_FALSE(UnsaturatedVariant(*NodeOf(model.graph(), "ns::fbgemm_clamp")));
}

}  // namespace
}  // namespace ns
