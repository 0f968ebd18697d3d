#include "ns/quantization/eager/constant_attributes.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/api/module.h>

#include <memory>
#include <string>

#include "gtest/gtest.h"
#include "ir/hierarchy/make_module.h"
#include "ns/quantization/eager/quantized_types.h"
#include "tests/testing/graph_with.h"
#include "tests/testing/modules.h"
#include "tests/testing/short_ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::torch::jit::Module;

const QuantizedType& TypeNamed(const std::string& name) {
  return *FindQuantizedType("torch.ao.nn.quantized.modules." + name);
}

TEST(ConstantAttributesTest, PackedWeightsAndQParamsAreRead) {
  const auto graph = GraphWith(
      R"IR(
graph(%self : Tensor, %x : Tensor, %packed : Tensor):
  %s : float = prim::Constant[value=0.5]()
  %z : int = prim::Constant[value=3]()
  %y : Tensor = quantized::linear(%x, %packed, %s, %z)
  return (%y))IR",
      {{"packed", CallOp("quantized::linear_prepack",
                         {QuantizeWeight(at::ones({2, 3})), c10::IValue()})}});
  Module module = NewModule("Linear");
  module.register_attribute("scale", c10::FloatType::get(), 0.5);
  module.register_attribute("zero_point", c10::IntType::get(), 3);
  NS_ASSERT_OK(
      TakeConstants(TypeNamed("linear.Linear"), at::kQInt8, module, *graph));
  ExpectShortIr(*graph, R"(
%1 = quantized::linear(%0, self._packed_params._packed_params, self.scale, self.zero_point)
return (%1))");
  const Module params = module.attr("_packed_params").toModule();
  EXPECT_EQ(params.attr("dtype").toInt(), static_cast<int64_t>(at::kQInt8));
  EXPECT_FALSE(module.hasattr("dtype"));
}

// By where they are: equal numbers are not enough.
TEST(ConstantAttributesTest, ParametersAreTheAttributesThatTheyAre) {
  const at::Tensor both = at::ones({4});
  Module module = NewModule("LayerNorm");
  module.register_parameter("weight", both.slice(0, 0, 2), false);
  module.register_parameter("bias", both.slice(0, 2, 4), false);
  module.register_buffer("scale", at::scalar_tensor(0.5));
  module.register_buffer("zero_point", at::scalar_tensor(3, at::kLong));
  const auto graph =
      GraphWith(R"IR(
graph(%self : Tensor, %x : Tensor, %w : Tensor, %b : Tensor):
  %shape : int[] = prim::Constant[value=[2]]()
  %eps : float = prim::Constant[value=0.25]()
  %s : float = prim::Constant[value=0.5]()
  %z : int = prim::Constant[value=3]()
  %y : Tensor = quantized::layer_norm(%x, %shape, %w, %b, %eps, %s, %z)
  return (%y))IR",
                {{"w", both.slice(0, 0, 2)}, {"b", both.slice(0, 2, 4)}});
  NS_ASSERT_OK(TakeConstants(TypeNamed("normalization.LayerNorm"), at::kQInt8,
                             module, *graph));
  ExpectShortIr(*graph, R"(
%1 = aten::Float(self.scale)
%2 = aten::Int(self.zero_point)
%3 = quantized::layer_norm(%0, [2], self.weight, self.bias, 0.25, %1, %2)
return (%3))");
}

}  // namespace
}  // namespace ns
