#include "ns/report/json/layer_map.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/json/write_json.h"
#include "ns/result/comparison_result.h"
#include "tests/ns/report/json/compared_values.h"

namespace ns {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(LayerMapTest, TellsWhyAnInputIsUnpaired) {
  LayerComparison layer;
  layer.unpaired_input = "behind an extra layer";
  EXPECT_THAT(WriteJson(layer),
              HasSubstr(R"("unpaired_input": "behind an extra layer")"));
}

TEST(LayerMapTest, LeavesOutWhatAnActivationDoesNotHave) {
  LayerComparison layer;
  layer.activation = Figures({1}, {30, 0, 1, 0}, {30});
  // Nothing to tell, as long as all are 0.
  layer.activation->non_finite = NonFiniteCounts();
  const std::string json = WriteJson(layer);
  for (const char* key :
       {R"("trips")", R"("elements")", R"("range")", R"("non_finite")",
        R"("codes")", R"("worst_channels")"}) {
    EXPECT_THAT(json, Not(HasSubstr(key)));
  }
}

TEST(LayerMapTest, WritesRangesCodesAndChannelsOfActivations) {
  ActivationComparison figures =
      Figures({2, 8}, {30.5, 0.03, 0.999, 0.25}, {30, 31}, {32});
  figures.elements = 32;
  figures.ranges = ValueRanges{-1.5, kInfinity, -1, 2};
  figures.non_finite = NonFiniteCounts{0, 3, 0, 0};
  figures.codes = CodeUse{4, 1, 200};
  figures.worst_channels = {{3, 12.5}, {0, -kInfinity}};
  figures.channel_sqnr_db = {-kInfinity, 12.5};
  figures.outliers = {0.5, 0.75};
  figures.user_figures = {{"mae", 0.125}};
  const std::string fields = R"(
    "shape": [2, 8],
    "sqnr_db": 30.5,
    "normalized_l2": 0.03,
    "cosine": 0.999,
    "max_abs_error": 0.25,
    "mean_error": 0.0,
    "bias_share": 0.0,
    "mae": 0.125,
    "batch_sqnr_db": [30.0, 31.0],
    "trips": [32.0],
    "elements": 32,
    "range": {
      "float": [-1.5, "inf"],
      "quantized": [-1.0, 2.0]
    },
    "non_finite": {
      "float": {
        "nan": 0,
        "inf": 3
      },
      "quantized": {
        "nan": 0,
        "inf": 0
      }
    },
    "codes": {
      "lowest": 4,
      "highest": 1,
      "unused": 200
    },
    "worst_channels": [
      {
        "channel": 3,
        "sqnr_db": 12.5
      },
      {
        "channel": 0,
        "sqnr_db": "-inf"
      }
    ],
    "channel_sqnr_db": ["-inf", 12.5],
    "abs_error_p999": 0.5,
    "outlier_share": 0.75
  })";
  LayerComparison layer;
  layer.activation = figures;
  EXPECT_THAT(WriteJson(layer), HasSubstr("\"activation\": {" + fields));
  layer = LayerComparison();
  layer.shadow = figures;
  EXPECT_THAT(WriteJson(layer), HasSubstr("\"shadow\": {" + fields));
  layer = LayerComparison();
  layer.kernel = figures;
  EXPECT_THAT(WriteJson(layer), HasSubstr("\"kernel\": {" + fields));
}

TEST(LayerMapTest, CountsOfNonFiniteValuesAreEachEnough) {
  for (int64_t NonFiniteCounts::*const count :
       {&NonFiniteCounts::float_nan, &NonFiniteCounts::float_inf,
        &NonFiniteCounts::quantized_nan, &NonFiniteCounts::quantized_inf}) {
    LayerComparison layer;
    layer.activation = Figures({1}, {30, 0, 1, 0}, {30});
    layer.activation->non_finite = NonFiniteCounts();
    (*layer.activation->non_finite).*count = 1;
    EXPECT_THAT(WriteJson(layer), HasSubstr(R"("non_finite")"));
  }
}

TEST(LayerMapTest, WritesTheBreakdownOfTheError) {
  LayerComparison layer;
  layer.activation = Figures({1}, {6, 0, 1, 0}, {6});
  layer.shadow = Figures({1}, {8.5, 0, 1, 0}, {8.5});
  EXPECT_THAT(WriteJson(layer), Not(HasSubstr(R"("error")")));
  layer.inherited = ErrorFigures{30.5, 0.25, 0.999, 0.5};
  EXPECT_THAT(WriteJson(layer), HasSubstr(R"(
  "inherited": {
    "sqnr_db": 30.5,
    "normalized_l2": 0.25,
    "cosine": 0.999,
    "max_abs_error": 0.5,
    "mean_error": 0.0,
    "bias_share": 0.0
  },
  "error": {
    "accumulated_db": 6.0,
    "local_db": 8.5,
    "inherited_db": 30.5,
    "dominated_by": "local"
  }
})"));
  layer.inherited->sqnr_db = kNan;
  EXPECT_THAT(WriteJson(layer), HasSubstr(R"(
    "inherited_db": "nan"
  })"));
}

TEST(LayerMapTest, WritesWhatLayersAreMadeOf) {
  LayerComparison layer;
  layer.bias = BiasComparison{0.25, true};
  layer.qparams = LayerQParams{0.5, 3};
  EXPECT_THAT(WriteJson(layer), HasSubstr(R"(
  "bias": {
    "mean_squared_error": 0.25,
    "missing": true
  },
  "qparams": {
    "scale": 0.5,
    "zero_point": 3
  })"));
}

TEST(LayerMapTest, WritesWhatOnlyAPartDoes) {
  LayerComparison layer;
  layer.weight_only = ErrorFigures{33.5, 0.25, 0.75, 0.5};
  layer.activation_only = ErrorFigures{34.5, 0.25, 0.75, 0.5};
  const std::string json = WriteJson(layer);
  for (const char* text : {R"("weight_only": {
    "sqnr_db": 33.5,)",
                           R"("activation_only": {
    "sqnr_db": 34.5,)"}) {
    EXPECT_THAT(json, HasSubstr(text));
  }
}

TEST(LayerMapTest, WritesTheChangesThatWereTried) {
  LayerComparison layer;
  layer.qparams = LayerQParams{0.5, 3};
  layer.shadow = Figures({1}, {20, 0, 1, 0}, {20});
  EXPECT_THAT(WriteJson(layer), Not(HasSubstr("tried_changes")));
  TriedChange range;
  range.kind = ChangeKind::kRange;
  range.qparams = LayerQParams{0.25, 3};
  range.sqnr_db = 30;
  TriedChange weight;
  weight.kind = ChangeKind::kWeight;
  weight.sqnr_db = kInfinity;
  layer.tried_changes = {range, weight};
  const std::string json = WriteJson(layer);
  EXPECT_THAT(json, HasSubstr(R"--(
  "tried_changes": [
    {
      "change": "range",
      "scale": 0.25,
      "zero_point": 3,
      "sqnr_db": 30.0,
      "gain_db": 10.0,
      "text": "scale 0.5 -> 0.25: 20.0 -> 30.0 dB (+10.0)"
    },
    {
      "change": "weight",
      "sqnr_db": "inf",
      "gain_db": "inf",
      "text": "its weight quantized by channel: 20.0 -> exact"
    }
  ])--"));
}

}  // namespace
}  // namespace ns
