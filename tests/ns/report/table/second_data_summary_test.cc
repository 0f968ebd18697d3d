#include "ns/report/table/second_data_summary.h"

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/ns/report/table_results.h"

namespace ns {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// `count` layers with values up to 4 where those of the first data set go to 1.
ComparisonResult Shifted(int count) {
  ComparisonResult result = Result({});
  for (int i = 0; i < count; ++i) {
    LayerComparison layer = Layer(absl::StrCat("fc", i), 20);
    layer.activation->ranges = ValueRanges{-1, 1, -1, 1};
    layer.activation->codes = CodeUse{0, 0, 0};
    layer.second_data = layer.activation;
    layer.second_data->ranges->float_max = 4;
    result.layers.push_back(layer);
  }
  ModuleOutputComparison output;
  output.name = "output";
  output.figures = Figures(25);
  result.model_outputs = {output};
  output.figures = Figures(12);
  result.second_data = SecondData{{"b.pt"}, 1, {output}};
  result.float_path = "f.pt";
  result.input_paths = {"a.pt"};
  return result;
}

TEST(SecondDataSummaryTest, NamesLayersAndWhatHelps) {
  EXPECT_EQ(
      SecondDataSummary(Shifted(1)),
      "\nsecond data             The lowest output SQNR is 12.0 dB (first "
      "data: 25.0 dB); 1 of 1 layer has another range.\n"
      "  fc0  -1 to 4 (first data: -1 to 1)\n"
      "help                    calibrate on both data sets\n"
      "                        ns quantize --float=f.pt "
      "--inputs=a.pt,b.pt --out=mended.pt\n");
}

TEST(SecondDataSummaryTest, ListsFiveLayers) {
  const std::string summary = SecondDataSummary(Shifted(7));
  EXPECT_THAT(summary, HasSubstr("\n  fc4  "));
  EXPECT_THAT(summary, Not(HasSubstr("fc5")));
  EXPECT_THAT(summary, HasSubstr("\n  and 2 more (see --json)\n"));
}

TEST(SecondDataSummaryTest, IsEmptyWithoutASecondDataSet) {
  ComparisonResult result = Shifted(1);
  result.second_data.reset();
  EXPECT_EQ(SecondDataSummary(result), "");
}

}  // namespace
}  // namespace ns
