#include "ns/report/table/gain_summary.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/ns/report/table_results.h"

namespace ns {
namespace {

// A layer that makes `after` dB of 20 when it is in float.
LayerComparison InFloat(const std::string& name, double after) {
  LayerComparison layer = Layer(name, 20);
  layer.in_float = FloatGain{"output", 20, after};
  return layer;
}

TEST(GainSummaryTest, TheLargestGainsComeFirst) {
  EXPECT_EQ(GainSummary(Result(
                {InFloat("a", 21), InFloat("b", 20.4), InFloat("c", 25.5)})),
            "measured gain           c  in float: output 20.0 -> 25.5 dB "
            "(+5.5)\n"
            "measured gain           a  in float: output 20.0 -> 21.0 dB "
            "(+1.0)\n");
}

TEST(GainSummaryTest, FiveAreListed) {
  std::vector<LayerComparison> layers;
  for (int i = 0; i < 7; ++i) {
    layers.push_back(InFloat(absl::StrCat("fc", i), 30));
  }
  const std::string summary = GainSummary(Result(layers));
  EXPECT_EQ(std::count(summary.begin(), summary.end(), '\n'), 5);
}

TEST(GainSummaryTest, SaysWhereNothingGains) {
  EXPECT_EQ(GainSummary(Result({Layer("a", 20)})), "");
  EXPECT_EQ(GainSummary(Result({InFloat("a", 20.1)})),
            "measured gain           no single layer in float helps\n");
}

}  // namespace
}  // namespace ns
