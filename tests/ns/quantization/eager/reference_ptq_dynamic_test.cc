// PyTorch's cases of dynamic quantization of linear layers, see
// tests/README.md.
#include <ATen/Functions.h>
#include <torch/csrc/jit/api/module.h>

#include <optional>
#include <set>
#include <string>

#include "gtest/gtest.h"
#include "ir/hierarchy/module_editor.h"
#include "ns/quantization/eager/fuse_modules.h"
#include "ns/quantization/eager/quantize.h"
#include "passes/quantization/qconfig/default_qconfigs.h"
#include "tests/ns/quantization/eager/reference_models.h"
#include "tests/ns/quantization/eager/two_linears.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::torch::jit::Module;

class ReferencePtqDynamicTest
    : public ::testing::TestWithParam<at::ScalarType> {
 protected:
  static QConfig Qconfig() {
    return GetParam() == at::kHalf ? Float16DynamicQConfig()
                                   : DefaultDynamicQConfig();
  }

  // What Convert makes of a model whose modules have their qconfigs.
  static Module Converted(const Module& model, const QConfigSpec& spec) {
    ModuleEditor editor = OrThrow(ModuleEditor::Copy(model));
    NS_EXPECT_OK(PropagateQConfig(editor, spec));
    ConvertOptions options;
    options.mapping = GetDefaultDynamicQuantModuleMappings();
    return OrThrow(Convert(editor.root(), options));
  }

  // The same, after it was compared with what QuantizeDynamicModules makes,
  // given the qconfigs, and given `modules` and a dtype unless there are none.
  Module Quantized(const Module& model, const QConfigSpec& spec,
                   const std::set<std::string>& modules) const {
    const Module quantized = Converted(model, spec);
    ExpectStandsAlone(quantized, x_);
    const at::Tensor output = OutputOf(quantized, x_);
    ExpectNear(output, OutputOf(model, x_));
    EXPECT_FALSE(output.equal(OutputOf(model, x_)));
    QuantizeDynamicOptions options;
    options.qconfigs = spec;
    options.dtype = GetParam();
    EXPECT_TRUE(OutputOf(OrThrow(QuantizeDynamicModules(model, options)), x_)
                    .equal(output));
    if (!modules.empty()) {
      options.qconfigs = std::nullopt;
      options.modules = modules;
      EXPECT_TRUE(OutputOf(OrThrow(QuantizeDynamicModules(model, options)), x_)
                      .equal(output));
    }
    return quantized;
  }

  // Linear layers of half precision are those whose weights are rounded.
  static void ExpectDynamic(const Module& quantized, const std::string& path) {
    if (GetParam() == at::kHalf) {
      const at::Tensor weight =
          ChildAt(quantized, path).attr("weight").toTensor();
      EXPECT_TRUE(weight.equal(weight.to(at::kHalf).to(at::kFloat))) << path;
    } else {
      EXPECT_EQ(TypeAtPath(quantized, path), kDynamicLinear) << path;
    }
  }

  static void ExpectFloat(const Module& quantized, const std::string& path) {
    const Module layer = ChildAt(quantized, path);
    EXPECT_EQ(TypeAtPath(quantized, path), kFloatLinear) << path;
    const at::Tensor weight = layer.attr("weight").toTensor();
    EXPECT_FALSE(weight.equal(weight.to(at::kHalf).to(at::kFloat))) << path;
  }

  static Module NestedLinears() {
    return Nested(TwoLayers(RandomLinear(5, 8), RandomLinear(8, 5)),
                  RandomLinear(5, 5));
  }

  const at::Tensor x_ = at::randn({20, 5});
};

TEST_P(ReferencePtqDynamicTest, OneLayer) {
  const Module model =
      MakeModel({{"fc1", RandomLinear(5, 5)}}, {"return self.fc1.forward(x)"});
  ExpectDynamic(Quantized(model, {{"fc1", Qconfig()}}, {"Linear"}), "fc1");
  ExpectFloat(model, "fc1");
  QuantizeDynamicOptions inplace;
  inplace.modules = {"Linear"};
  inplace.dtype = GetParam();
  inplace.inplace = true;
  ExpectDynamic(OrThrow(QuantizeDynamicModules(model, inplace)), "fc1");
}

TEST_P(ReferencePtqDynamicTest, OneLayerOfTwo) {
  const Module quantized =
      Quantized(TwoLayers(RandomLinear(5, 8), RandomLinear(8, 5)),
                {{"fc2", Qconfig()}}, {"fc2"});
  ExpectFloat(quantized, "fc1");
  ExpectDynamic(quantized, "fc2");
}

TEST_P(ReferencePtqDynamicTest, LayersByPath) {
  const Module quantized =
      Quantized(NestedLinears(), {{"fc3", Qconfig()}, {"sub2.fc1", Qconfig()}},
                {"fc3", "sub2.fc1"});
  ExpectFloat(quantized, "sub1.fc");
  ExpectDynamic(quantized, "fc3");
  ExpectDynamic(quantized, "sub2.fc1");
  ExpectFloat(quantized, "sub2.fc2");
}

TEST_P(ReferencePtqDynamicTest, AllLayersOfAPart) {
  const Module quantized =
      Quantized(NestedLinears(), {{"fc3", Qconfig()}, {"sub2", Qconfig()}},
                {"fc3", "sub2"});
  ExpectFloat(quantized, "sub1.fc");
  EXPECT_EQ(TypeAtPath(quantized, "sub1.relu"),
            "torch.nn.modules.activation.ReLU");
  for (const char* path : {"fc3", "sub2.fc1", "sub2.fc2"}) {
    ExpectDynamic(quantized, path);
  }
}

TEST_P(ReferencePtqDynamicTest, APartAndALayerInIt) {
  const Module quantized = Quantized(
      NestedLinears(),
      {{"fc3", Qconfig()}, {"sub2", Qconfig()}, {"sub2.fc1", Qconfig()}},
      {"fc3", "sub2", "sub2.fc1"});
  for (const char* path : {"fc3", "sub2.fc1", "sub2.fc2"}) {
    ExpectDynamic(quantized, path);
  }
}

TEST_P(ReferencePtqDynamicTest, AllLayersOfATypeButSome) {
  const Module quantized = Quantized(NestedLinears(),
                                     {{"fc3", std::nullopt},
                                      {"sub2.fc1", std::nullopt},
                                      {"Linear", Qconfig()}},
                                     {});
  ExpectDynamic(quantized, "sub1.fc");
  ExpectFloat(quantized, "fc3");
  ExpectFloat(quantized, "sub2.fc1");
  ExpectDynamic(quantized, "sub2.fc2");
}

INSTANTIATE_TEST_SUITE_P(, ReferencePtqDynamicTest,
                         ::testing::Values(at::kQInt8, at::kHalf),
                         [](const auto& info) {
                           return info.param == at::kHalf ? "Half" : "Int8";
                         });

using ReferenceInt8DynamicTest = ReferencePtqDynamicTest;

TEST_P(ReferenceInt8DynamicTest, WeightsMayHaveAScaleForEachChannel) {
  const Module model = NestedLinears();
  const Module quantized =
      Quantized(model, {{"Linear", PerChannelDynamicQConfig()}}, {});
  for (const char* path : {"sub1.fc", "fc3", "sub2.fc1", "sub2.fc2"}) {
    ExpectDynamic(quantized, path);
  }
  EXPECT_FALSE(
      OutputOf(Converted(model, {{"Linear", DefaultDynamicQConfig()}}), x_)
          .equal(OutputOf(quantized, x_)));
}

TEST_P(ReferenceInt8DynamicTest, ALayerWithItsReluIsOne) {
  const Module model = MakeModel({{"fc1", RandomLinear(5, 8)},
                                  {"relu", Relu()},
                                  {"fc2", RandomLinear(8, 5)}},
                                 {"y = self.relu.forward(self.fc1.forward(x))",
                                  "return self.fc2.forward(y)"});
  const Module quantized =
      Quantized(OrThrow(FuseModules(model, {{"fc1", "relu"}})),
                {{"", DefaultDynamicQConfig()}}, {});
  EXPECT_EQ(TypeAtPath(quantized, "fc1"),
            "torch.nn.intrinsic.quantized.dynamic.modules.linear_relu."
            "LinearReLU");
  ExpectDynamic(quantized, "fc2");
}

INSTANTIATE_TEST_SUITE_P(, ReferenceInt8DynamicTest,
                         ::testing::Values(at::kQInt8),
                         [](const auto&) { return "Int8"; });

}  // namespace
}  // namespace ns
