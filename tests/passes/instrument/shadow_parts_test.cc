#include "passes/instrument/shadow_parts.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/testing/modules.h"
#include "tests/testing/paired.h"
#include "tests/testing/short_ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

PairPlan Parts() {
  PairPlan plan = Shadows();
  plan.parts = true;
  return plan;
}

class ShadowPartsTest : public testing::Test {
 protected:
  ShadowPartsTest() {
    at::manual_seed(5);
    weight_ = at::randn({4, 3});
    x_ = at::randn({6, 3});
  }

  at::Tensor weight_;
  at::Tensor x_;
};

TEST_F(ShadowPartsTest, AStaticLayerRoundsItsOutput) {
  Paired models(
      ModelOfModule(MakeModel({{"fc", Linear(weight_)}},
                              {"return torch.relu(self.fc.forward(x))"})),
      ModelOfModule(MakeModel(
          {{"quant", Quantize()}, {"fc", QuantizedLinear(weight_, true)}},
          {"return self.fc.forward(self.quant.forward(x))"})),
      Parts());
  const at::Tensor y = models.Run({x_}, {x_}).second.toTensor();
  // As Quantize of tests/testing/modules.h has it.
  const at::Tensor input = at::quantize_per_tensor(x_, 0.05, 64, at::kQUInt8);
  const at::Tensor s = at::linear(input.dequantize(), weight_).relu();
  ExpectCompared(
      models.At("fc").weight_only, {s},
      {at::linear(input.dequantize(), QuantizeWeight(weight_).dequantize())
           .relu()});
  ExpectCompared(
      models.At("fc").activation_only, {s},
      {at::quantize_per_tensor(s, y.q_scale(), y.q_zero_point(), at::kQUInt8)});
  // Where values are quantized there is one part.
  EXPECT_EQ(models.At("quant").weight_only, nullptr);
  EXPECT_EQ(models.At("quant").activation_only, nullptr);
}

// Its output is float: what it rounds is its input.
TEST_F(ShadowPartsTest, ADynamicLayerRoundsItsInput) {
  const c10::IValue packed = CallOp("quantized::linear_prepack",
                                    {QuantizeWeight(weight_), c10::IValue()});
  Paired models(
      ModelOfModule(
          MakeModel({{"fc", Linear(weight_)}}, {"return self.fc.forward(x)"})),
      ModelOfModule(MakeModel(
          {{"fc", MakeModule("DynamicLinear",
                             "def forward(self, x: Tensor) -> Tensor:\n"
                             "    return ops.quantized.linear_dynamic(x, "
                             "self.packed, False)\n",
                             {{"packed", packed}})}},
          {"return self.fc.forward(x)"})),
      Parts());
  models.Run({x_}, {x_});
  const at::Tensor s = at::linear(x_, weight_);
  ExpectCompared(models.At("fc.linear_dynamic").weight_only, {s},
                 {at::linear(x_, QuantizeWeight(weight_).dequantize())});
  const at::Tensor rounded =
      at::quantize_per_tensor_dynamic(x_, at::kQUInt8, false).dequantize();
  ExpectCompared(models.At("fc.linear_dynamic").activation_only, {s},
                 {at::linear(rounded, weight_)});
}

TEST_F(ShadowPartsTest, AnOpWithoutWeightOnlyRounds) {
  constexpr char kFloat[] = R"IR(
graph(%x : Tensor, %y : Tensor):
  %one : int = prim::Constant[value=1]()
  %s : Tensor = aten::add(%x, %y, %one)
  return (%s))IR";
  constexpr char kQuantized[] = R"IR(
graph(%x : Tensor, %y : Tensor):
  %scale : float = prim::Constant[value=0.5]()
  %zero_point : int = prim::Constant[value=0]()
  %s : Tensor = quantized::add(%x, %y, %scale, %zero_point)
  return (%s))IR";
  PairPlan plan = Parts();
  plan.guard_shadows = false;
  Paired models(kFloat, kQuantized, plan);
  ExpectShortIr(models.pair.model.graph(), R"IR(
%2 = ns::as_float(%0)
%3 = ns::as_float(%1)
%4 = aten::add(%2, %3, 1)
%5 = quantized::add(%0, %1, 0.5, 0)
self.ns_comparer_0.compare(%4, %5)
%6 = ns::quantize_like(%4, %5)
self.ns_comparer_1.compare(%4, %6)
%7 = prim::TupleConstruct(None, %5)
return (%7))IR");
  EXPECT_EQ(models.At("add").weight_only, nullptr);
}

// Both models have the layer in float: neither part is quantized.
TEST_F(ShadowPartsTest, AFloatLayerHasNoParts) {
  const auto model = [&] {
    return ModelOfModule(
        MakeModel({{"fc", Linear(weight_)}}, {"return self.fc.forward(x)"}));
  };
  Paired models(model(), model(), Parts());
  models.Run({x_}, {x_});
  EXPECT_NE(models.At("fc").shadow, nullptr);
  EXPECT_EQ(models.At("fc").weight_only, nullptr);
  EXPECT_EQ(models.At("fc").activation_only, nullptr);
}

TEST_F(ShadowPartsTest, WithoutTheOptionThereAreNone) {
  const std::string forward = "return self.fc.forward(self.quant.forward(x))";
  Paired models(
      ModelOfModule(
          MakeModel({{"fc", Linear(weight_)}}, {"return self.fc.forward(x)"})),
      ModelOfModule(MakeModel(
          {{"quant", Quantize()}, {"fc", QuantizedLinear(weight_, false)}},
          {forward})),
      Shadows());
  EXPECT_EQ(models.At("fc").weight_only, nullptr);
  EXPECT_EQ(models.At("fc").activation_only, nullptr);
}

}  // namespace
}  // namespace ns
