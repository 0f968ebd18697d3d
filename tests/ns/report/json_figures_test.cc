#include "ns/report/json_figures.h"

#include <limits>
#include <string>
#include <utility>

#include "gtest/gtest.h"

namespace ns {
namespace {

std::string Written(const ActivationComparison& activation) {
  JsonWriter json;
  json.BeginObject();
  WriteActivation(json, "shadow", activation);
  json.EndObject();
  return std::move(json).Finish();
}

ActivationComparison Figures() {
  ActivationComparison figures;
  figures.shape = {2, 3};
  figures.error = {20, 0.1, 0.5, 0.25, -0.125, 0.75};
  figures.batch_sqnr_db = {20};
  return figures;
}

TEST(JsonFiguresTest, WhatWasNotGatheredIsAbsent) {
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

TEST(JsonFiguresTest, AllFiguresHaveAPlace) {
  ActivationComparison figures = Figures();
  figures.error.sqnr_db = std::numeric_limits<double>::infinity();
  figures.user_figures = {{"mae", 0.5}};
  figures.trip_sqnr_db = {1, 2};
  figures.elements = 6;
  figures.ranges = {-1, 1, -0.5, 0.5};
  figures.non_finite = {1, 0, 0, 2};
  figures.codes = {3, 4, 100};
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

}  // namespace
}  // namespace ns
