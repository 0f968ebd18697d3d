#include "passes/quantization/qconfig/default_qconfigs.h"

#include <optional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/runtime/observers/observer_config.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// default_qconfigs_reference_test holds all fields to PyTorch's.

constexpr Backend kBackends[] = {Backend::kFbgemm, Backend::kX86,
                                 Backend::kOnednn, Backend::kQnnpack};

QConfigTarget TargetOf(const std::string& family) {
  QConfigTarget target;
  target.op = "aten::" + family;
  target.family = family;
  target.fqn = "layer";
  return target;
}

TEST(BackendTest, NamesAreFound) {
  for (const Backend backend : kBackends) {
    EXPECT_EQ(OrThrow(BackendNamed(BackendName(backend))), backend);
  }
}

TEST(BackendTest, OtherNamesAreErrors) {
  EXPECT_EQ(MessageOf(BackendNamed("fbgem")),
            "unknown backend 'fbgem'; use fbgemm, x86, onednn, qnnpack");
}

TEST(GetDefaultQConfigTest, KernelsThatSaturateGetSevenBits) {
  EXPECT_EQ(
      GridOf(GetDefaultQConfig(Backend::kX86).activation.config).quant_max,
      127);
  EXPECT_EQ(
      GridOf(GetDefaultQConfig(Backend::kOnednn).activation.config).quant_max,
      255);
}

TEST(GetDefaultQatQConfigTest, OtherVersionsAreErrors) {
  EXPECT_EQ(MessageOf(GetDefaultQatQConfig(Backend::kX86, 2)),
            "qconfigs for training have no version 2; use 0 or 1");
  EXPECT_EQ(MessageOf(GetDefaultQatQConfigMapping(Backend::kX86, -1)),
            "qconfigs for training have no version -1; use 0 or 1");
}

TEST(GetDefaultQConfigMappingTest, OpsWithoutARuleHaveTheGlobalQConfig) {
  for (const Backend backend : kBackends) {
    const QConfigMapping mapping = GetDefaultQConfigMapping(backend);
    EXPECT_EQ(mapping.Choose(TargetOf("add")).qconfig,
              GetDefaultQConfig(backend));
  }
}

TEST(GetDefaultQConfigMappingTest, TransposedConvolutionsHaveOneScale) {
  for (const Backend backend : {Backend::kFbgemm, Backend::kX86}) {
    const QConfigMapping mapping = GetDefaultQConfigMapping(backend);
    const QConfigChoice choice = mapping.Choose(TargetOf("conv_transpose2d"));
    EXPECT_FALSE(IsPerChannel(choice.qconfig->weight));
    EXPECT_EQ(choice.qconfig->activation, mapping.global()->activation);
  }
}

TEST(GetDefaultQConfigMappingTest, LayerNormsHaveFloatWeights) {
  const QConfigChoice choice =
      GetDefaultQConfigMapping(Backend::kX86).Choose(TargetOf("layer_norm"));
  EXPECT_EQ(choice.qconfig->weight, PlaceholderSpec());
  EXPECT_EQ(ModeOf(choice.qconfig->activation), QuantizationMode::kStatic);
}

TEST(GetDefaultQConfigMappingTest, BoundedOpsHaveFixedParameters) {
  const QConfigMapping mapping = GetDefaultQConfigMapping(Backend::kX86);
  for (const char* family : {"hardsigmoid", "sigmoid", "tanh"}) {
    EXPECT_EQ(mapping.Choose(TargetOf(family)).qconfig->activation.config.kind,
              ObserverKind::kFixedQParams)
        << family;
  }
  // Of softmax the module, and not the function.
  QConfigTarget softmax = TargetOf("softmax");
  EXPECT_NE(mapping.Choose(softmax).qconfig->activation.config.kind,
            ObserverKind::kFixedQParams);
  softmax.module_type = "torch.nn.modules.activation.Softmax";
  EXPECT_EQ(mapping.Choose(softmax).qconfig->activation.config.kind,
            ObserverKind::kFixedQParams);
}

TEST(PresetsTest, AllCanBeHad) {
  const std::vector<std::string> names = PresetNames();
  EXPECT_GT(names.size(), 30U);
  for (const std::string& name : names) {
    const QConfig qconfig = OrThrow(PresetNamed(name));
    NS_EXPECT_OK(Validate(qconfig.activation.config));
    NS_EXPECT_OK(Validate(qconfig.weight.config));
    EXPECT_EQ(OrThrow(PresetNamed(*PresetNameOf(qconfig))), qconfig) << name;
  }
}

TEST(PresetsTest, BestKnownNameIsFound) {
  EXPECT_EQ(PresetNameOf(DefaultDynamicQConfig()), "dynamic");
  EXPECT_EQ(PresetNameOf(Float16StaticQConfig()), "fp16");
  EXPECT_EQ(PresetNameOf(GetDefaultQConfig(Backend::kX86)), "fbgemm");
  EXPECT_EQ(PresetNameOf(DefaultQConfig()), "default");
}

TEST(PresetsTest, OtherQConfigsHaveNoName) {
  QConfig qconfig = DefaultQConfig();
  qconfig.activation.config.quant_max = 63;
  EXPECT_EQ(PresetNameOf(qconfig), std::nullopt);
}

TEST(PresetsTest, UnknownNamesAreErrors) {
  EXPECT_EQ(MessageOf(PresetNamed("fbgem")),
            "unknown qconfig 'fbgem'; did you mean 'fbgemm'?");
  EXPECT_THAT(MessageOf(PresetNamed("zzz")),
              StartsWith("unknown qconfig 'zzz'; use int8-per-tensor, "));
  EXPECT_THAT(MessageOf(PresetNamed("zzz")), HasSubstr("default-qat"));
}

}  // namespace
}  // namespace ns
