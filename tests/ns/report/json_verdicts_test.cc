#include "ns/report/json_verdicts.h"

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/report/json_writer.h"
#include "ns/suite/accuracy.h"
#include "ns/suite/comparison_result.h"
#include "ns/suite/limit_check.h"

namespace ns {
namespace {

using ::testing::HasSubstr;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::string JsonOf(const ComparisonResult& result) {
  JsonWriter json;
  json.BeginObject();
  WriteVerdicts(json, result);
  json.EndObject();
  return std::move(json).Finish();
}

std::string JsonOf(const std::vector<LimitCheck>& checks) {
  JsonWriter json;
  json.BeginObject();
  WriteLimits(json, checks);
  json.EndObject();
  return std::move(json).Finish();
}

TEST(JsonVerdictsTest, WithoutLimitsOrLabelsThereIsNothing) {
  EXPECT_EQ(JsonOf(ComparisonResult()), "{}\n");
}

// No limit was asked for, or limits were and there was nothing to check.
TEST(JsonVerdictsTest, NoChecksAreNotNoLimits) {
  ComparisonResult result;
  result.limits.emplace();
  EXPECT_EQ(JsonOf(result), "{\n  \"limits\": []\n}\n");
}

TEST(JsonVerdictsTest, EmptyFieldsOfACheckAreLeftOut) {
  LimitCheck check;
  check.kind = LimitKind::kMaxUnmatched;
  check.value = 3;
  check.bound = 2;
  EXPECT_EQ(JsonOf({check}), R"({
  "limits": [
    {
      "limit": "max-unmatched",
      "value": 3.0,
      "bound": 2.0,
      "passed": false
    }
  ]
}
)");
}

TEST(JsonVerdictsTest, ADropTellsWhatDroppedAndItsTolerance) {
  LimitCheck check;
  check.kind = LimitKind::kMaxDrop;
  check.layer = "lstm";
  check.output = "c_n";
  check.figure = "shadow";
  check.value = 0.5;
  check.bound = 1;
  check.tolerance = 0.25;
  check.passed = true;
  EXPECT_EQ(JsonOf({check}), R"({
  "limits": [
    {
      "limit": "max-drop",
      "layer": "lstm",
      "output": "c_n",
      "figure": "shadow",
      "value": 0.5,
      "bound": 1.0,
      "tolerance": 0.25,
      "passed": true
    }
  ]
}
)");
}

TEST(JsonVerdictsTest, OnlyADropHasATolerance) {
  LimitCheck check;
  check.kind = LimitKind::kFailBelow;
  check.layer = "a \"b\"";
  check.value = kNan;
  check.bound = 30;
  check.tolerance = 0.25;
  EXPECT_THAT(JsonOf({check}), HasSubstr(R"(
      "limit": "fail-below",
      "layer": "a \"b\"",
      "value": "nan",
      "bound": 30.0,
      "passed": false
    })"));
}

TEST(JsonVerdictsTest, WritesTheLayersOfTheBaseline) {
  ComparisonResult result;
  result.baseline = BaselineLayers{"old.json", {"fc"}, {}};
  EXPECT_EQ(JsonOf(result), R"({
  "baseline": {
    "path": "old.json",
    "new": [
      "fc"
    ],
    "vanished": []
  }
}
)");
}

// Shares of no samples are nan, and so is the margin of a single class.
TEST(JsonVerdictsTest, WritesAccuracyAndFlipsAfterTheLimits) {
  ComparisonResult result;
  result.limits.emplace();
  Accuracy accuracy;
  accuracy.samples = 4;
  accuracy.float_top1 = 1;
  accuracy.quantized_top1 = 0.75;
  accuracy.agreement = kNan;
  accuracy.difference = -0.25;
  accuracy.lowest_difference = -0.5;
  accuracy.highest_difference = 0.125;
  accuracy.lost = 1;
  accuracy.flipped = 9;
  accuracy.flips = {{2, 0, 7, 7, -1, 0.5, kNan}};
  result.accuracy = accuracy;
  EXPECT_EQ(JsonOf(result), R"({
  "limits": [],
  "accuracy": {
    "samples": 4,
    "float_top1": 1.0,
    "quantized_top1": 0.75,
    "agreement": "nan",
    "difference": -0.25,
    "interval": [-0.5, 0.125],
    "lost": 1,
    "won": 0,
    "flipped": 9,
    "flips": [
      {
        "batch": 2,
        "sample": 0,
        "label": 7,
        "float": 7,
        "quantized": -1,
        "float_margin": 0.5,
        "quantized_margin": "nan"
      }
    ]
  }
}
)");
}

}  // namespace
}  // namespace ns
