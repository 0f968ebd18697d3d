#include "ns/quantization/model/quantize_options.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/quantization/dynamic/quantize_dynamic.h"
#include "passes/quantization/qconfig/default_qconfigs.h"
#include "passes/quantization/qconfig/qconfig.h"
#include "passes/quantization/qconfig/qconfig_mapping.h"
#include "passes/runtime/observers/observer_config.h"
#include "passes/runtime/observers/observer_names.h"

namespace ns {
namespace {

using ::testing::Contains;
using ::testing::IsSupersetOf;
using ::testing::Not;

QuantizeOptions Of(QuantizeMode mode) {
  QuantizeOptions options;
  options.mode = mode;
  return options;
}

QuantizeOptions On(Backend backend) {
  QuantizeOptions options;
  options.backend = backend;
  return options;
}

const Backend kBackends[] = {Backend::kFbgemm, Backend::kX86, Backend::kOnednn,
                             Backend::kQnnpack};

// The types that a mapping has a qconfig for.
std::vector<std::string> TypesOf(const QConfigMapping& mapping) {
  std::vector<std::string> types;
  for (const auto& [type, qconfig] : mapping.object_types()) {
    types.push_back(type);
  }
  return types;
}

TEST(DefaultMappingTest, ChosenObserverStandsForTheHistogram) {
  for (const Backend backend : kBackends) {
    QuantizeOptions options = On(backend);
    options.observer = ObserverKind::kEntropy;
    const ObserverConfig theirs = GetDefaultQConfig(backend).activation.config;
    const ObserverConfig ours =
        DefaultMapping(options).global()->activation.config;
    EXPECT_EQ(ours.kind, ObserverKind::kEntropy);
    // What the values are quantized to is the backend's.
    EXPECT_EQ(GridOf(ours).quant_min, GridOf(theirs).quant_min);
    EXPECT_EQ(GridOf(ours).quant_max, GridOf(theirs).quant_max);
    EXPECT_EQ(ours.dtype, theirs.dtype);
    EXPECT_EQ(ours.qscheme, theirs.qscheme);
    EXPECT_EQ(ours.eps, theirs.eps);
  }
}

TEST(DefaultMappingTest, SymmetricWeightsHaveNoIntegerWithoutANegative) {
  for (const Backend backend : kBackends) {
    const ObserverSpec weight = DefaultMapping(On(backend)).global()->weight;
    EXPECT_EQ(weight.use, ObserverUse::kObserve);
    EXPECT_EQ(GridOf(weight.config).quant_min, -127) << BackendName(backend);
    EXPECT_EQ(GridOf(weight.config).quant_max, 127) << BackendName(backend);
  }
}

TEST(DefaultMappingTest, FixedParametersStay) {
  const QConfigTarget sigmoid = {"aten::sigmoid", "sigmoid", "", "", 0};
  EXPECT_EQ(DefaultMapping({}).Choose(sigmoid).qconfig->activation,
            GetDefaultQConfigMapping(Backend::kFbgemm)
                .Choose(sigmoid)
                .qconfig->activation);
}

TEST(DefaultMappingTest, CompatIsPyTorchs) {
  for (const Backend backend : kBackends) {
    QuantizeOptions options = On(backend);
    options.compat = true;
    options.observer = ObserverKind::kEntropy;
    EXPECT_EQ(DefaultMapping(options), GetDefaultQConfigMapping(backend))
        << BackendName(backend);
  }
}

TEST(DefaultMappingTest, DynamicAndWeightOnlyShareWhatNeedsNoCalibration) {
  const QConfigMapping dynamic = DefaultMapping(Of(QuantizeMode::kDynamic));
  const QConfigMapping weights = DefaultMapping(Of(QuantizeMode::kWeightOnly));
  EXPECT_THAT(TypesOf(dynamic), IsSupersetOf({"linear", "lstm", "gru"}));
  EXPECT_THAT(TypesOf(dynamic), Not(Contains("embedding")));
  EXPECT_THAT(TypesOf(weights), IsSupersetOf({"embedding", "embedding_bag"}));
  EXPECT_THAT(TypesOf(weights), Not(Contains("linear")));
  EXPECT_EQ(dynamic.object_types().size() + weights.object_types().size(),
            DefaultDynamicMapping().object_types().size());
}

TEST(DefaultMappingTest, DynamicWeightsHaveTheScalesThatTheEngineTakes) {
  for (const Backend backend : kBackends) {
    QuantizeOptions options = On(backend);
    options.mode = QuantizeMode::kDynamic;
    const QConfigMapping mapping = DefaultMapping(options);
    for (const auto& [type, qconfig] : mapping.object_types()) {
      EXPECT_EQ(IsPerChannel(qconfig->weight), backend != Backend::kQnnpack)
          << BackendName(backend) << ", " << type;
      EXPECT_EQ(GridOf(qconfig->weight.config).quant_min, -127) << type;
    }
    options.compat = true;
    const QConfigTarget linear = {"aten::linear", "linear", "", "", 0};
    EXPECT_EQ(DefaultMapping(options).Choose(linear).qconfig,
              DefaultDynamicQConfig());
  }
}

TEST(DefaultMappingTest, WithoutCalibrationOtherTypesStayInFloat) {
  for (const auto mode : {QuantizeMode::kDynamic, QuantizeMode::kWeightOnly}) {
    EXPECT_EQ(DefaultMapping(Of(mode)).global(), OptionalQConfig());
  }
}

TEST(MayRefuseInputsTest, WhereALayerMayGetAnOpWithoutCalibration) {
  QuantizeOptions options;
  EXPECT_FALSE(MayRefuseInputs(options));
  options.mapping.emplace().SetGlobal(Int8PerTensorQConfig());
  EXPECT_FALSE(MayRefuseInputs(options));
  options.mapping->SetObjectType("linear", DynamicQConfig());
  EXPECT_TRUE(MayRefuseInputs(options));
  options.compat = true;
  EXPECT_FALSE(MayRefuseInputs(options));
  options = {};
  options.mode = QuantizeMode::kDynamic;
  EXPECT_TRUE(MayRefuseInputs(options));
}

}  // namespace
}  // namespace ns
