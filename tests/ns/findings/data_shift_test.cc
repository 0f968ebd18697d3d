#include "ns/findings/data_shift.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/ns/report/table_results.h"

namespace ns {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

// 100 values in 8 bits, of which some have the highest code.
ActivationComparison Values(double lowest, double highest, int64_t clipped) {
  ActivationComparison values = Figures(20);
  values.elements = 100;
  values.ranges = ValueRanges{lowest, highest, -1, 1};
  values.codes = CodeUse{0, clipped, 0};
  return values;
}

// A layer with a range from -1 to 1, and values from -1 to 1 on the first data
// set.
LayerComparison LayerWith(ActivationComparison second) {
  LayerComparison layer = Layer("conv1", 20);
  layer.activation = Values(-1, 1, 0);
  layer.second_data = std::move(second);
  layer.qparams = LayerQParams{2. / 255, 128};
  return layer;
}

ComparisonResult ResultOf(std::vector<LayerComparison> layers) {
  ComparisonResult result = Result(std::move(layers));
  result.second_data.emplace();
  return result;
}

ModuleOutputComparison Output(const char* name, double db) {
  ModuleOutputComparison output;
  output.name = name;
  output.figures = Figures(db);
  return output;
}

TEST(DataShiftTest, ValuesThatGoFarBeyondTheFirstAreWider) {
  const auto shifts = DataShifts(ResultOf({LayerWith(Values(-1, 2, 0))}));
  ASSERT_THAT(shifts, SizeIs(1));
  EXPECT_EQ(shifts[0].layer, 0);
  EXPECT_DOUBLE_EQ(shifts[0].beyond, 0.5);
  EXPECT_DOUBLE_EQ(shifts[0].width, 1.5);
  EXPECT_TRUE(shifts[0].IsWider());
}

TEST(DataShiftTest, ValuesThatAreClippedMoreOftenAreWider) {
  ComparisonResult result = ResultOf({LayerWith(Values(-1, 1.1, 30))});
  result.layers[0].second_data->elements = 1000;
  const auto shifts = DataShifts(result);
  ASSERT_THAT(shifts, SizeIs(1));
  EXPECT_DOUBLE_EQ(shifts[0].clipped_on_second, 0.03);
  EXPECT_EQ(shifts[0].clipped_on_first, 0);
  EXPECT_TRUE(shifts[0].IsWider());
  EXPECT_EQ(DataShiftText(result, shifts[0]),
            "-1 to 1.1 (first data: -1 to 1), 3.0 % clipped (first data: 0.0 "
            "%)");
}

TEST(DataShiftTest, FewClippedValuesMayBeChance) {
  EXPECT_THAT(DataShifts(ResultOf({LayerWith(Values(-1, 1.1, 19))})),
              IsEmpty());
}

TEST(DataShiftTest, ValuesThatUseHalfOfTheRangeAreNarrower) {
  const auto shifts = DataShifts(ResultOf({LayerWith(Values(-0.5, 0.5, 0))}));
  ASSERT_THAT(shifts, SizeIs(1));
  EXPECT_DOUBLE_EQ(shifts[0].width, 0.5);
  EXPECT_FALSE(shifts[0].IsWider());
}

TEST(DataShiftTest, AShiftOfAllValuesIsWiderThoughAsWide) {
  // 0 is in both ranges.
  LayerComparison layer = LayerWith(Values(-2, 0, 0));
  layer.activation = Values(0, 2, 0);
  const auto shifts = DataShifts(ResultOf({layer}));
  ASSERT_THAT(shifts, SizeIs(1));
  EXPECT_DOUBLE_EQ(shifts[0].beyond, 1);
  EXPECT_DOUBLE_EQ(shifts[0].width, 1);
}

TEST(DataShiftTest, OtherBatchesOfTheSameDataAreNone) {
  EXPECT_THAT(DataShifts(ResultOf({LayerWith(Values(-1.4, 1.3, 0)),
                                   LayerWith(Values(-0.6, 0.7, 0))})),
              IsEmpty());
}

TEST(DataShiftTest, LayersWithoutARangeAreNone) {
  LayerComparison in_float = LayerWith(Values(-9, 9, 0));
  in_float.second_data->codes.reset();
  LayerComparison not_run = LayerWith(Values(-9, 9, 0));
  not_run.second_data.reset();
  LayerComparison with_nan = LayerWith(Values(kNan, kNan, 0));
  LayerComparison of_zeros = LayerWith(Values(-9, 9, 0));
  of_zeros.activation->ranges = ValueRanges{0, 0, 0, 0};
  EXPECT_THAT(DataShifts(ResultOf({in_float, not_run, with_nan, of_zeros})),
              IsEmpty());
}

TEST(DataShiftTest, WithoutASecondDataSetThereIsNone) {
  ComparisonResult result = Result({LayerWith(Values(-9, 9, 0))});
  EXPECT_THAT(DataShifts(result), IsEmpty());
  EXPECT_EQ(SecondDataSentence(result), "");
  EXPECT_EQ(SecondDataLossDb(result), 0);
}

TEST(DataShiftTest, TheSentenceHasTheLowestOutputOfTheSecond) {
  ComparisonResult result =
      ResultOf({LayerWith(Values(-1, 9, 0)), LayerWith(Values(-1, 1, 0))});
  result.model_outputs = {Output("output[0]", 30), Output("output[1]", 40)};
  result.second_data->model_outputs = {Output("output[0]", 25),
                                       Output("output[1]", 12)};
  EXPECT_EQ(SecondDataSentence(result),
            "The lowest output SQNR is 12.0 dB (first data: 40.0 dB); 1 of 2 "
            "layers has another range.");
  EXPECT_DOUBLE_EQ(SecondDataLossDb(result), 28);
}

TEST(DataShiftTest, OutputsOfIntegersAndExactOnesLoseNothing) {
  ComparisonResult result = ResultOf({LayerWith(Values(-1, 1, 0))});
  result.model_outputs = {Output("output[0]", kInfinity),
                          Output("output[1]", 20)};
  result.second_data->model_outputs = {Output("output[0]", kInfinity),
                                       Output("output[1]", 1)};
  result.second_data->model_outputs[1].holds_integers = true;
  EXPECT_EQ(SecondDataLossDb(result), 0);
  EXPECT_EQ(SecondDataSentence(result),
            "The lowest output SQNR is exact (first data: exact); no layer has "
            "another range.");
}

}  // namespace
}  // namespace ns
