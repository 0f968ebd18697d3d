#include "ns/report/json_histograms.h"

#include <limits>
#include <string>
#include <utility>

#include "gtest/gtest.h"
#include "ns/report/json_writer.h"
#include "ns/suite/value_histograms.h"

namespace ns {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::string JsonOf(const ValueHistograms& histograms) {
  JsonWriter json;
  json.BeginObject();
  WriteHistograms(json, histograms);
  json.EndObject();
  return std::move(json).Finish();
}

TEST(JsonHistogramsTest, BothSidesShareTheirBinsAndErrorsHaveTheirOwn) {
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
  EXPECT_EQ(JsonOf(histograms), R"({
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
TEST(JsonHistogramsTest, WithoutSamplesEveryArrayIsThereAndEmpty) {
  EXPECT_EQ(JsonOf({}), R"({
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

TEST(JsonHistogramsTest, BinsThatAreNoNumbersStayValidJson) {
  ValueHistograms histograms;
  histograms.value_bins = {-std::numeric_limits<double>::infinity(), kNan};
  const std::string json = JsonOf(histograms);
  EXPECT_NE(json.find("\"lowest\": \"-inf\",\n      \"width\": \"nan\","),
            std::string::npos)
      << json;
}

TEST(JsonHistogramsTest, IsOneMemberAmongOthers) {
  JsonWriter json;
  json.BeginObject();
  json.Member("before", 1.5);
  WriteHistograms(json, {});
  json.Member("after", 2.5);
  json.EndObject();
  const std::string text = std::move(json).Finish();
  EXPECT_EQ(text.find("{\n  \"before\": 1.5,\n  \"histograms\": {\n"), 0)
      << text;
  EXPECT_NE(text.find("    }\n  },\n  \"after\": 2.5\n}\n"), std::string::npos)
      << text;
}

}  // namespace
}  // namespace ns
