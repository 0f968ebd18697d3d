#include "ns/report/table/emulation_summary.h"

#include <limits>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ns {
namespace {

using ::testing::HasSubstr;

// A layer in which 2 of 4 channels can saturate.
LayerComparison Layer(const std::string& name) {
  LayerComparison layer;
  layer.name = name;
  layer.saturation = PairSaturation();
  layer.saturation->channels = 4;
  layer.saturation->saturating_channels = 2;
  layer.saturation->worst_pair_sum = 40000;
  return layer;
}

// A layer of which `saturated` of 1000 outputs saturated.
LayerComparison Ran(const std::string& name, int64_t saturated,
                    std::optional<double> shadow_cost_db = std::nullopt) {
  LayerComparison layer = Layer(name);
  layer.saturation->outputs = 1000;
  layer.saturation->saturated = saturated;
  layer.saturation->shadow_cost_db = shadow_cost_db;
  return layer;
}

ComparisonResult ResultOf(const std::vector<LayerComparison>& layers) {
  ComparisonResult result;
  result.emulated = "fbgemm-avx2";
  result.layers = layers;
  return result;
}

TEST(EmulationSummaryTest, IsEmptyWhereNothingIsEmulated) {
  EXPECT_EQ(EmulationSummary(ComparisonResult()), "");
}

TEST(EmulationSummaryTest, TellsWhatWeightsTellWhereNothingRan) {
  LayerComparison cannot = Layer("safe");
  cannot.saturation->saturating_channels = 0;
  LayerComparison down = Layer("down");
  down.saturation->worst_pair_sum = -40000;
  EXPECT_EQ(EmulationSummary(
                ResultOf({Layer("up"), cannot, down, LayerComparison()})),
            "\nfbgemm-avx2: sums can saturate in 2 layers:\n"
            "  up (in 2 of 4 channels; pair sums up to 40000)\n"
            "  down (in 2 of 4 channels; pair sums down to -40000)\n"
            "  cannot: 1 layer\n");
}

TEST(EmulationSummaryTest, ListsTheCostliestFirst) {
  LayerComparison both = Ran("both", 3, 0.5);
  both.saturation->cost_db = 2.25;
  EXPECT_EQ(
      EmulationSummary(ResultOf({both, Ran("worst", 250, 4), Ran("few", 0)})),
      "\nfbgemm-avx2: sums saturate in 2 layers:\n"
      "  worst (25.0 % of 1000 outputs; costs 4.0 dB by itself)\n"
      "  both (0.3 % of 1000 outputs; costs 0.5 dB by itself, 2.2 dB with "
      "those before)\n"
      "  could, and did not: few\n");
}

TEST(EmulationSummaryTest, ACostThatIsNoNumberIsTheWorst) {
  const std::string text = EmulationSummary(
      ResultOf({Ran("large", 10, 100),
                Ran("nan", 1, std::numeric_limits<double>::quiet_NaN())}));
  EXPECT_LT(text.find("nan ("), text.find("large ("));
}

TEST(EmulationSummaryTest, LongListsEndEarly) {
  std::vector<LayerComparison> layers;
  for (int i = 0; i < 12; ++i) {
    layers.push_back(Ran(absl::StrCat("layer", i), 1));
  }
  EXPECT_THAT(EmulationSummary(ResultOf(layers)),
              HasSubstr("  and 2 more (see --json)\n"));
}

TEST(EmulationSummaryTest, NoLayerSaturates) {
  EXPECT_EQ(EmulationSummary(ResultOf({Ran("a", 0)})),
            "\nfbgemm-avx2: sums saturate in no layer\n"
            "  could, and did not: a\n");
}

}  // namespace
}  // namespace ns
