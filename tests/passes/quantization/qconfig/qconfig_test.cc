#include "passes/quantization/qconfig/qconfig.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(QConfigTest, ConstructedQuantizesNothing) {
  EXPECT_EQ(ModeOf(QConfig().activation), QuantizationMode::kFloat);
  EXPECT_EQ(ModeOf(QConfig().weight), QuantizationMode::kFloat);
}

TEST(QConfigTest, NamedOnesAreAllDifferent) {
  std::vector<std::string> names;
  for (const QConfig& qconfig : NamedQConfigs()) {
    names.push_back(QConfigName(qconfig));
    for (const QConfig& other : NamedQConfigs()) {
      EXPECT_EQ(qconfig == other, &qconfig == &other);
    }
  }
  EXPECT_THAT(names, ElementsAre("int8 per tensor", "int8 per channel",
                                 "dynamic", "fp16", "int4 weights"));
}

TEST(QConfigTest, NamesAreFoundWithBlanksOrDashes) {
  EXPECT_EQ(OrThrow(QConfigNamed("int8 per channel")), Int8PerChannelQConfig());
  EXPECT_EQ(OrThrow(QConfigNamed("int8-per-channel")), Int8PerChannelQConfig());
  for (const QConfig& qconfig : NamedQConfigs()) {
    EXPECT_EQ(OrThrow(QConfigNamed(QConfigName(qconfig))), qconfig);
  }
}

TEST(QConfigTest, UnknownNameListsTheKnownOnes) {
  const std::string message = MessageOf(QConfigNamed("int7"));
  EXPECT_THAT(message, HasSubstr("'int7'"));
  EXPECT_THAT(message, HasSubstr("int8-per-tensor, int8-per-channel, dynamic, "
                                 "fp16, int4-weights"));
}

TEST(QConfigTest, EveryFieldTellsQConfigsApart) {
  const QConfig qconfig = Int8PerTensorQConfig();
  std::vector<QConfig> changed(8, qconfig);
  changed[0].activation.config.quant_min = -1;
  changed[1].activation.config.quant_max = 127;
  changed[2].activation.config.qscheme = at::kPerTensorSymmetric;
  changed[3].activation.config.kind = ObserverKind::kHistogram;
  changed[4].activation.use = ObserverUse::kFakeQuantize;
  changed[5].weight.config.dtype = at::kQUInt8;
  changed[6].weight.config.eps = 1;
  changed[7].weight.path = "observer.pt";
  for (size_t i = 0; i < changed.size(); ++i) {
    EXPECT_NE(changed[i], qconfig) << i;
  }
}

TEST(QConfigTest, ModesFollowTheObservers) {
  const auto modes = [](const QConfig& qconfig) {
    return std::make_pair(ModeOf(qconfig.activation), ModeOf(qconfig.weight));
  };
  using Mode = QuantizationMode;
  EXPECT_EQ(modes(Int8PerTensorQConfig()),
            std::make_pair(Mode::kStatic, Mode::kStatic));
  EXPECT_EQ(modes(DynamicQConfig()),
            std::make_pair(Mode::kDynamic, Mode::kStatic));
  EXPECT_EQ(modes(Fp16QConfig()), std::make_pair(Mode::kHalf, Mode::kHalf));
  EXPECT_EQ(modes(Int4WeightsQConfig()),
            std::make_pair(Mode::kFloat, Mode::kStatic));
}

TEST(QConfigTest, OthersAreCalledByTheirParts) {
  QConfig qconfig = Int8PerChannelQConfig();
  qconfig.activation.config.kind = ObserverKind::kHistogram;
  qconfig.activation.config.reduce_range = true;
  EXPECT_EQ(QConfigName(qconfig),
            "static 0..127 histogram, int8 weight per channel");
  qconfig.activation.config.kind = ObserverKind::kMinMax;
  qconfig.activation.config.dtype = at::kQInt8;
  qconfig.activation.config.qscheme = at::kPerTensorSymmetric;
  qconfig.weight = Int4WeightsQConfig().weight;
  EXPECT_EQ(QConfigName(qconfig),
            "static -64..63 symmetric, int4 weight per channel");
  EXPECT_EQ(QConfigName(QConfig()), "float, float weight");
}

TEST(QConfigTest, StaticOnesAreCalledByTheirObserver) {
  QConfig qconfig = Int8PerChannelQConfig();
  qconfig.activation.config.kind = ObserverKind::kHistogram;
  EXPECT_EQ(QConfigName(qconfig), "int8 per channel histogram");
  qconfig.activation.config.kind = ObserverKind::kMovingAverageMinMax;
  EXPECT_EQ(QConfigName(qconfig), "int8 per channel moving-average");
}

TEST(QConfigTest, AbsentIsNone) {
  EXPECT_EQ(QConfigName(OptionalQConfig()), "none");
  EXPECT_EQ(QConfigName(OptionalQConfig(DynamicQConfig())), "dynamic");
}

}  // namespace
}  // namespace ns
