#include "ns/quantization/eager/describe_modules.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/api/module.h>

#include <optional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/quantization/eager/module_mappings.h"
#include "ns/quantization/eager/prepare_and_convert.h"
#include "passes/quantization/qconfig/default_qconfigs.h"
#include "tests/ns/quantization/eager/two_linears.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::torch::jit::Module;

// Gives `module` a parameter: the modules for tests have none.
Module WithParameter(Module module) {
  module.register_parameter("extra", at::zeros({1}), /*is_buffer=*/false);
  return module;
}

TEST(DescribeModulesTest, LayersAreModulesThatWereReplaced) {
  const QConfigSpec spec = {{"", DefaultQConfig()}, {"b", std::nullopt}};
  Module prepared = OrThrow(Prepare(TwoLinears(), spec));
  prepared.forward({at::full({1, 3}, 12.7)});
  const QuantizationReport report = OrThrow(DescribeModules(
      prepared, OrThrow(Convert(prepared)), spec, ConvertOptions().mapping));
  ASSERT_EQ(report.layers.size(), 2);
  const LayerQuantization& quant = report.layers[0];
  EXPECT_EQ(quant.name, "quant");
  EXPECT_EQ(quant.op, "QuantStub");
  EXPECT_EQ(quant.rule, "global");
  EXPECT_FALSE(quant.weight);
  ASSERT_TRUE(quant.output);
  EXPECT_FLOAT_EQ(quant.output->scale, 0.1);
  // The default qconfig has 7 bits.
  EXPECT_FLOAT_EQ(quant.output->max, 12.7);
  EXPECT_EQ(report.layers[1].name, "a");
  EXPECT_EQ(report.layers[1].weight->scheme, "per_tensor_symmetric");
  EXPECT_THAT(report.order, ElementsAre("quant", "a", "b", "dequant"));
}

TEST(DescribeModulesTest, SaysWhatStayedFloatAndWhy) {
  Module model = TwoLinears();
  for (const char* name : {"a", "b"}) {
    Module layer = model.attr(name).toModule();
    layer.register_parameter("bias", at::zeros({1}), /*is_buffer=*/false);
  }
  const QConfigSpec spec = {{"", DefaultQConfig()}, {"b", std::nullopt}};
  Module prepared = OrThrow(Prepare(model, spec));
  prepared.forward({at::ones({1, 3})});
  ConvertOptions options;
  options.mapping.erase("torch.nn.modules.linear.Linear");
  const QuantizationReport report = OrThrow(DescribeModules(
      prepared, OrThrow(Convert(prepared, options)), spec, options.mapping));
  ASSERT_EQ(report.stayed_float.size(), 2);
  EXPECT_EQ(report.stayed_float[0].reason,
            "no quantized module is made of its type");
  EXPECT_EQ(report.stayed_float[1].name, "b");
  EXPECT_EQ(report.stayed_float[1].reason, "it has no qconfig");
}

// Weights in half precision: only those of types with a dynamic layer, and that
// no other module reads.
TEST(DescribeModulesTest, LayersInHalfPrecisionAreThoseThatWereRounded) {
  const Module model =
      MakeModel({{"conv", WithParameter(Conv2d(at::ones({3, 3, 1, 1})))},
                 {"fc", WithParameter(Linear(at::ones({3, 3})))},
                 {"read", WithParameter(Linear(at::ones({3, 3})))}},
                {"y = self.fc.forward(self.conv.forward(x))",
                 "y = torch.linear(y, self.read.weight, None)",
                 "return self.read.forward(y)"});
  const QConfigSpec spec = {{"", Float16DynamicQConfig()}};
  const Module prepared = OrThrow(Prepare(model, spec));
  ConvertOptions options;
  options.mapping = GetDefaultDynamicQuantModuleMappings();
  const QuantizationReport report = OrThrow(DescribeModules(
      prepared, OrThrow(Convert(prepared, options)), spec, options.mapping));
  ASSERT_EQ(report.layers.size(), 1);
  EXPECT_EQ(report.layers[0].name, "fc");
  EXPECT_EQ(report.layers[0].weight->scheme, "float16");
  ASSERT_EQ(report.stayed_float.size(), 2);
  EXPECT_EQ(report.stayed_float[0].name, "conv");
  EXPECT_EQ(report.stayed_float[0].reason,
            "no quantized module is made of its type");
  EXPECT_EQ(report.stayed_float[1].name, "read");
  EXPECT_THAT(report.stayed_float[1].reason, HasSubstr("reads its weight"));
}

TEST(DescribeModulesTest, TheModelItselfStayedFloatIfItHasParameters) {
  const QConfigSpec spec = {{"", Float16DynamicQConfig()}};
  const Module prepared =
      OrThrow(Prepare(WithParameter(Linear(at::ones({3, 3}))), spec));
  ConvertOptions options;
  options.mapping = GetDefaultDynamicQuantModuleMappings();
  const QuantizationReport report = OrThrow(DescribeModules(
      prepared, OrThrow(Convert(prepared, options)), spec, options.mapping));
  EXPECT_THAT(report.layers, IsEmpty());
  EXPECT_THAT(report.order, IsEmpty());
  ASSERT_EQ(report.stayed_float.size(), 1);
  EXPECT_EQ(report.stayed_float[0].name, "");
  EXPECT_EQ(report.stayed_float[0].op, "Linear");
  EXPECT_EQ(report.stayed_float[0].reason, "the model itself is not replaced");
}

}  // namespace
}  // namespace ns
