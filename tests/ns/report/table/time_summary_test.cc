#include "ns/report/table/time_summary.h"

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/result/coverage.h"
#include "tests/ns/report/table_results.h"

namespace ns {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// `slow` layers of 0.2 ms that take 0.1 ms in float.
ComparisonResult Timed(int slow) {
  ComparisonResult result = Result({});
  for (int i = 0; i < slow; ++i) {
    LayerComparison layer = Layer(absl::StrCat("conv", i), 30);
    layer.time = LayerTime{100, 200, 0.05};
    layer.runs_in = RunsIn::kInt8;
    result.layers.push_back(layer);
  }
  result.quantized_path = "my model.pt";
  result.times = ModelTimes();
  result.times->samples = 32;
  result.times->threads = 1;
  result.times->runs = 20;
  result.times->float_us = 8000;
  result.times->quantized_us = 4000;
  result.times->between_layers = {{"float", "aten::flatten", 1, 500},
                                  {"quantized", "aten::dequantize", 12, 300.14},
                                  {"quantized", "aten::size", 3, 2}};
  return result;
}

TEST(TimeSummaryTest, ReportsTimesAndSlowLayers) {
  EXPECT_EQ(
      TimeSummary(Timed(1)),
      "\ntime of a batch         float 8 ms, quantized 4 ms: 2.00 times as "
      "fast\n"
      "measured with           32 samples, 1 thread, the least of 20 runs\n"
      "slower than in float    1 layer, by 100 µs\n"
      "  conv0  200 µs instead of 100 µs: LibTorch's int8 kernel is slower "
      "than its float kernel\n"
      "between the layers      aten::dequantize 300 µs (12 nodes)\n"
      "help                    lower the model, which puts ns kernels in the "
      "place of these\n"
      "                        ns lower 'my model.pt' 'my model_lowered.pt'\n");
}

TEST(TimeSummaryTest, ListsFiveLayers) {
  const std::string summary = TimeSummary(Timed(7));
  EXPECT_THAT(summary, HasSubstr("\n  conv4  "));
  EXPECT_THAT(summary, Not(HasSubstr("conv5")));
  EXPECT_THAT(summary, HasSubstr("\n  and 2 more (see --json)\n"));
}

TEST(TimeSummaryTest, CountsWhatLoweringHelps) {
  ComparisonResult result = Timed(2);
  result.layers[1].runs_in = RunsIn::kFloat;
  EXPECT_THAT(TimeSummary(result), HasSubstr("in the place of 1 of these\n"));
  result.layers[0].runs_in = RunsIn::kFloat;
  EXPECT_THAT(TimeSummary(result), Not(HasSubstr("help")));
}

TEST(TimeSummaryTest, TheUnitSuitsTheTime) {
  ComparisonResult result = Timed(0);
  result.times->float_us = 12345678;
  result.times->quantized_us = 999600;
  EXPECT_THAT(TimeSummary(result),
              HasSubstr("float 12.3 s, quantized 1 s: 12.35 times as fast\n"));
  result.times->quantized_us = 0;
  EXPECT_THAT(TimeSummary(result), HasSubstr("quantized 0 µs\n"));
}

TEST(TimeSummaryTest, IsEmptyWithoutTimes) {
  EXPECT_EQ(TimeSummary(Result({Layer("conv", 30)})), "");
}

}  // namespace
}  // namespace ns
