#include "passes/quantization/qconfig.h"

#include <optional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(QConfigTest, ConstructedQuantizesNothing) {
  EXPECT_EQ(QConfig().activation.scheme, ActivationScheme::kNone);
  EXPECT_EQ(QConfig().weight.dtype, WeightDtype::kFloat);
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
  std::vector<QConfig> changed(6, qconfig);
  changed[0].activation.quant_min = -1;
  changed[1].activation.quant_max = 127;
  changed[2].activation.symmetric = true;
  changed[3].activation.observer = ActivationObserver::kHistogram;
  changed[4].weight.dtype = WeightDtype::kInt4;
  changed[5].weight.per_channel = true;
  for (size_t i = 0; i < changed.size(); ++i) {
    EXPECT_NE(changed[i], qconfig) << i;
    EXPECT_NE(QConfigName(changed[i]), QConfigName(qconfig)) << i;
  }
}

TEST(QConfigTest, OthersAreCalledByTheirParts) {
  QConfig qconfig = Int8PerChannelQConfig();
  qconfig.activation.quant_max = 127;
  qconfig.activation.observer = ActivationObserver::kHistogram;
  EXPECT_EQ(QConfigName(qconfig),
            "static 0..127 histogram, int8 weight per channel");
  EXPECT_EQ(QConfigName(QConfig()), "float, float weight");
}

TEST(QConfigTest, HistogramsAreCalledSo) {
  QConfig qconfig = Int8PerChannelQConfig();
  qconfig.activation.observer = ActivationObserver::kHistogram;
  EXPECT_EQ(QConfigName(qconfig), "int8 per channel histogram");
}

TEST(QConfigTest, AbsentIsNone) {
  EXPECT_EQ(QConfigName(OptionalQConfig()), "none");
  EXPECT_EQ(QConfigName(OptionalQConfig(DynamicQConfig())), "dynamic");
}

}  // namespace
}  // namespace ns
