#include "ns/report/json/figures_map.h"

#include <cmath>
#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ir/json/parse_json.h"
#include "ir/json/read_json.h"
#include "ir/json/write_json.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Objects that have figures as a member.
struct WithShadow {
  ActivationComparison shadow;
};
struct WithHistograms {
  ValueHistograms histograms;
};

template <typename Io>
void Map(Io& io, WithShadow& layer) {
  io("shadow", layer.shadow);
}

template <typename Io>
void Map(Io& io, WithHistograms& values) {
  io("histograms", values.histograms);
}

std::string Written(const ActivationComparison& activation) {
  return WriteJson(WithShadow{activation});
}

std::string Written(const ValueHistograms& histograms) {
  return WriteJson(WithHistograms{histograms});
}

template <typename T>
T Read(const std::string& text) {
  T value;
  NS_EXPECT_OK(ReadJson(OrThrow(ParseJson(text)), value));
  return value;
}

constexpr char kFigures[] =
    "\"sqnr_db\": \"inf\", \"normalized_l2\": 0.5, \"cosine\": 1.0, "
    "\"max_abs_error\": 2, \"mean_error\": -1.0, \"bias_share\": 0.25";

ActivationComparison Figures() {
  ActivationComparison figures;
  figures.shape = {2, 3};
  figures.error = {20, 0.1, 0.5, 0.25, -0.125, 0.75};
  figures.batch_sqnr_db = {20};
  return figures;
}

TEST(FiguresMapTest, WhatWasNotGatheredIsAbsent) {
  EXPECT_EQ(Written(Figures()),
            "{\n"
            "  \"shadow\": {\n"
            "    \"shape\": [2, 3],\n"
            "    \"sqnr_db\": 20.0,\n"
            "    \"normalized_l2\": 0.1,\n"
            "    \"cosine\": 0.5,\n"
            "    \"max_abs_error\": 0.25,\n"
            "    \"mean_error\": -0.125,\n"
            "    \"bias_share\": 0.75,\n"
            "    \"batch_sqnr_db\": [20.0]\n"
            "  }\n"
            "}\n");
}

TEST(FiguresMapTest, AllFiguresHaveAPlace) {
  ActivationComparison figures = Figures();
  figures.error.sqnr_db = std::numeric_limits<double>::infinity();
  figures.user_figures = {{"mae", 0.5}};
  figures.trip_sqnr_db = {1, 2};
  figures.elements = 6;
  figures.ranges = {-1, 1, -0.5, 0.5};
  figures.non_finite = {1, 0, 0, 2};
  figures.codes = {3, 4, 100};
  figures.channels = {3, 20, 1};
  figures.worst_channels = {{2, 10.5}};
  figures.channel_sqnr_db = {30, 20, 10.5};
  figures.outliers = {0.25, 0.5};
  figures.histograms = {4,      {-1, 0.5}, {0, 0.25}, {1, 0, 3}, {0, 1, 3},
                        {4, 0}, {-1, 2},   {0, 1},    {{1}, {3}}};
  EXPECT_EQ(Written(figures),
            "{\n"
            "  \"shadow\": {\n"
            "    \"shape\": [2, 3],\n"
            "    \"sqnr_db\": \"inf\",\n"
            "    \"normalized_l2\": 0.1,\n"
            "    \"cosine\": 0.5,\n"
            "    \"max_abs_error\": 0.25,\n"
            "    \"mean_error\": -0.125,\n"
            "    \"bias_share\": 0.75,\n"
            "    \"mae\": 0.5,\n"
            "    \"batch_sqnr_db\": [20.0],\n"
            "    \"trips\": [1.0, 2.0],\n"
            "    \"elements\": 6,\n"
            "    \"range\": {\n"
            "      \"float\": [-1.0, 1.0],\n"
            "      \"quantized\": [-0.5, 0.5]\n"
            "    },\n"
            "    \"non_finite\": {\n"
            "      \"float\": {\n"
            "        \"nan\": 1,\n"
            "        \"inf\": 0\n"
            "      },\n"
            "      \"quantized\": {\n"
            "        \"nan\": 0,\n"
            "        \"inf\": 2\n"
            "      }\n"
            "    },\n"
            "    \"codes\": {\n"
            "      \"lowest\": 3,\n"
            "      \"highest\": 4,\n"
            "      \"unused\": 100\n"
            "    },\n"
            "    \"channels\": 3,\n"
            "    \"median_channel_sqnr_db\": 20.0,\n"
            "    \"channels_below_3db\": 1,\n"
            "    \"worst_channels\": [\n"
            "      {\n"
            "        \"channel\": 2,\n"
            "        \"sqnr_db\": 10.5\n"
            "      }\n"
            "    ],\n"
            "    \"channel_sqnr_db\": [30.0, 20.0, 10.5],\n"
            "    \"abs_error_p999\": 0.25,\n"
            "    \"outlier_share\": 0.5,\n"
            "    \"histograms\": {\n"
            "      \"samples\": 4,\n"
            "      \"float\": {\n"
            "        \"lowest\": -1.0,\n"
            "        \"width\": 0.5,\n"
            "        \"counts\": [1, 0, 3]\n"
            "      },\n"
            "      \"quantized\": {\n"
            "        \"lowest\": -1.0,\n"
            "        \"width\": 0.5,\n"
            "        \"counts\": [0, 1, 3]\n"
            "      },\n"
            "      \"error\": {\n"
            "        \"lowest\": 0.0,\n"
            "        \"width\": 0.25,\n"
            "        \"counts\": [4, 0]\n"
            "      },\n"
            "      \"error_by_value\": {\n"
            "        \"value\": {\n"
            "          \"lowest\": -1.0,\n"
            "          \"width\": 2.0\n"
            "        },\n"
            "        \"error\": {\n"
            "          \"lowest\": 0.0,\n"
            "          \"width\": 1.0\n"
            "        },\n"
            "        \"counts\": [\n"
            "          [1],\n"
            "          [3]\n"
            "        ]\n"
            "      }\n"
            "    }\n"
            "  }\n"
            "}\n");
}

TEST(FiguresMapTest, ReadsAllErrorFigures) {
  const auto error = Read<ErrorFigures>(absl::StrCat("{", kFigures, "}"));
  EXPECT_EQ(error.sqnr_db, HUGE_VAL);
  EXPECT_EQ(error.normalized_l2, 0.5);
  EXPECT_EQ(error.max_abs_error, 2);
  EXPECT_EQ(error.bias_share, 0.25);
}

TEST(FiguresMapTest, OtherFloatsAreMetricsOfTheUser) {
  const auto activation = Read<ActivationComparison>(
      absl::StrCat("{\"shape\": [1], \"batch_sqnr_db\": [], \"elements\": 3, "
                   "\"samples\": 7, \"mae\": 0.5, "
                   "\"abs_error_p999\": 1.0, \"outlier_share\": 0.1, ",
                   kFigures, "}"));
  ASSERT_EQ(activation.user_figures.size(), 1U);
  EXPECT_EQ(activation.user_figures[0].metric, "mae");
  EXPECT_EQ(activation.outliers->share, 0.1);
  EXPECT_EQ(activation.non_finite->float_nan, 0);
}

TEST(FiguresMapTest, MetricsThatAnEarlierVersionLackedAreNan) {
  const auto error = Read<ErrorFigures>("{\"sqnr_db\": 1.0}");
  EXPECT_EQ(error.sqnr_db, 1);
  EXPECT_TRUE(std::isnan(error.bias_share));
}

TEST(FiguresMapTest, WithoutAnSqnrThereIsAnError) {
  ErrorFigures error;
  EXPECT_EQ(ReadJson(OrThrow(ParseJson("{\"cosine\": 1.0}")), error).message(),
            "has no \"sqnr_db\"");
}

TEST(HistogramsMapTest, BothSidesShareTheirBinsAndErrorsHaveTheirOwn) {
  ValueHistograms histograms;
  histograms.samples = 6;
  histograms.value_bins = {-1, 0.5};
  histograms.error_bins = {-0.25, 0.125};
  histograms.float_counts = {1, 2, 3};
  histograms.quantized_counts = {3, 3, 0};
  histograms.error_counts = {6};
  histograms.row_bins = {-1, 1};
  histograms.column_bins = {-0.25, 0.5};
  histograms.errors_by_value = {{1, 0}, {2, 3}};
  EXPECT_EQ(Written(histograms), R"({
  "histograms": {
    "samples": 6,
    "float": {
      "lowest": -1.0,
      "width": 0.5,
      "counts": [1, 2, 3]
    },
    "quantized": {
      "lowest": -1.0,
      "width": 0.5,
      "counts": [3, 3, 0]
    },
    "error": {
      "lowest": -0.25,
      "width": 0.125,
      "counts": [6]
    },
    "error_by_value": {
      "value": {
        "lowest": -1.0,
        "width": 1.0
      },
      "error": {
        "lowest": -0.25,
        "width": 0.5
      },
      "counts": [
        [1, 0],
        [2, 3]
      ]
    }
  }
}
)");
}

// Of values that are all nan or infinite, none is counted.
TEST(HistogramsMapTest, WithoutSamplesEveryArrayIsThereAndEmpty) {
  EXPECT_EQ(Written(ValueHistograms()), R"({
  "histograms": {
    "samples": 0,
    "float": {
      "lowest": 0.0,
      "width": 0.0,
      "counts": []
    },
    "quantized": {
      "lowest": 0.0,
      "width": 0.0,
      "counts": []
    },
    "error": {
      "lowest": 0.0,
      "width": 0.0,
      "counts": []
    },
    "error_by_value": {
      "value": {
        "lowest": 0.0,
        "width": 0.0
      },
      "error": {
        "lowest": 0.0,
        "width": 0.0
      },
      "counts": []
    }
  }
}
)");
}

TEST(HistogramsMapTest, BinsThatAreNoNumbersStayValidJson) {
  ValueHistograms histograms;
  histograms.value_bins = {-std::numeric_limits<double>::infinity(), kNan};
  const std::string json = Written(histograms);
  EXPECT_NE(json.find("\"lowest\": \"-inf\",\n      \"width\": \"nan\","),
            std::string::npos)
      << json;
}

}  // namespace
}  // namespace ns
