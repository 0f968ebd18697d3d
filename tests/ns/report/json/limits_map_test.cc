#include "ns/report/json/limits_map.h"

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/json/write_json.h"
#include "ns/result/accuracy.h"
#include "ns/result/class_agreement.h"
#include "ns/result/compared_samples.h"
#include "ns/result/limit_check.h"
#include "ns/result/task_score.h"

namespace ns {
namespace {

using ::testing::HasSubstr;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// What a comparison has of these.
struct Judgement {
  std::optional<std::vector<LimitCheck>> limits;
  std::optional<BaselineLayers> baseline;
  std::optional<Accuracy> accuracy;
  std::optional<ClassAgreement> agreement;
  std::optional<ComparedSamples> samples;
  std::vector<TaskScore> scores;
};

template <typename Io>
void Map(Io& io, Judgement& judgement) {
  io.Optional("limits", judgement.limits);
  io.Optional("baseline", judgement.baseline);
  io.Optional("accuracy", judgement.accuracy);
  io.Optional("agreement", judgement.agreement);
  io.Optional("samples", judgement.samples);
  io.Optional("scores", judgement.scores);
}

std::string JsonOf(const Judgement& judgement) { return WriteJson(judgement); }

std::string JsonOf(const LimitCheck& check) {
  Judgement judgement;
  judgement.limits = {check};
  return JsonOf(judgement);
}

TEST(LimitsMapTest, WithoutLimitsOrLabelsThereIsNothing) {
  EXPECT_EQ(JsonOf(Judgement()), "{}\n");
}

// No limit was asked for, or limits were and there was nothing to check.
TEST(LimitsMapTest, NoChecksAreNotNoLimits) {
  Judgement result;
  result.limits.emplace();
  EXPECT_EQ(JsonOf(result), "{\n  \"limits\": []\n}\n");
}

TEST(LimitsMapTest, EmptyFieldsOfACheckAreLeftOut) {
  LimitCheck check;
  check.kind = LimitKind::kMaxUnmatched;
  check.value = 3;
  check.bound = 2;
  EXPECT_EQ(JsonOf(check), R"({
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

TEST(LimitsMapTest, ADropTellsWhatDroppedAndItsTolerance) {
  LimitCheck check;
  check.kind = LimitKind::kMaxDrop;
  check.layer = "lstm";
  check.output = "c_n";
  check.figure = "shadow";
  check.value = 0.5;
  check.bound = 1;
  check.tolerance = 0.25;
  check.passed = true;
  EXPECT_EQ(JsonOf(check), R"({
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

TEST(LimitsMapTest, OnlyADropHasATolerance) {
  LimitCheck check;
  check.kind = LimitKind::kFailBelow;
  check.layer = "a \"b\"";
  check.value = kNan;
  check.bound = 30;
  check.tolerance = 0.25;
  EXPECT_THAT(JsonOf(check), HasSubstr(R"(
      "limit": "fail-below",
      "layer": "a \"b\"",
      "value": "nan",
      "bound": 30.0,
      "passed": false
    })"));
}

TEST(LimitsMapTest, WritesTheLayersOfTheBaseline) {
  Judgement result;
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
TEST(LimitsMapTest, WritesAccuracyAndFlipsAfterTheLimits) {
  Judgement result;
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

TEST(LimitsMapTest, WritesAgreementSamplesAndScores) {
  Judgement result;
  result.agreement.emplace();
  result.agreement->samples = 4;
  result.agreement->classes = 3;
  result.agreement->flipped = 1;
  result.agreement->top1 = 0.75;
  result.agreement->float_confidence = 0.5;
  result.agreement->quantized_confidence = 0.25;
  result.agreement->confidence_drift = -0.25;
  result.samples = ComparedSamples{"worst:1", {3}, 4};
  result.scores = {{"map", 0.5, kNan, kNan}};
  EXPECT_EQ(JsonOf(result), R"({
  "agreement": {
    "samples": 4,
    "classes": 3,
    "flipped": 1,
    "top1": 0.75,
    "float_confidence": 0.5,
    "quantized_confidence": 0.25,
    "confidence_drift": -0.25
  },
  "samples": {
    "chosen": "worst:1",
    "samples": [3],
    "total": 4
  },
  "scores": [
    {
      "name": "map",
      "float": 0.5,
      "quantized": "nan",
      "difference": "nan"
    }
  ]
}
)");
  result.agreement->top5 = 1;
  EXPECT_THAT(JsonOf(result), HasSubstr("\"top5\": 1.0,"));
}

}  // namespace
}  // namespace ns
