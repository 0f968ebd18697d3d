#include "ns/findings/limits/limits.h"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/ns/report/table_results.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Parsed limits as "names:bound".
std::string Parsed(LimitKind kind, const std::string& text) {
  return absl::StrJoin(OrThrow(ParseLayerLimits(kind, text)), " ",
                       [](std::string* out, const LayerLimit& limit) {
                         absl::StrAppend(out, limit.layers, ":", limit.bound);
                       });
}

std::string ErrorOf(LimitKind kind, const std::string& text) {
  return MessageOf(ParseLayerLimits(kind, text));
}

Limits FailBelow(const std::string& text) {
  Limits limits;
  limits.fail_below = OrThrow(ParseLayerLimits(LimitKind::kFailBelow, text));
  return limits;
}

Limits MaxClip(const std::string& text) {
  Limits limits;
  limits.max_clip = OrThrow(ParseLayerLimits(LimitKind::kMaxClip, text));
  return limits;
}

// Checks as "fc 21.5 >= 30 no".
std::vector<std::string> Checked(const Limits& limits,
                                 const ComparisonResult& result) {
  std::vector<std::string> lines;
  for (const LimitCheck& check : CheckLimits(limits, result)) {
    lines.push_back(absl::StrCat(check.layer, check.output.empty() ? "" : "/",
                                 check.output, " ", check.value, " ",
                                 check.bound, check.passed ? " yes" : " no"));
  }
  return lines;
}

// A layer of 100 elements, of which some are at the ends, and float values that
// go beyond them.
LayerComparison Clipping(const std::string& name, int64_t lowest,
                         int64_t highest) {
  LayerComparison layer = Layer(name, 30);
  layer.activation->elements = 100;
  layer.activation->ranges = {-9, 9, -1, 1};
  layer.activation->codes = {lowest, highest, 0};
  return layer;
}

TEST(LimitsTest, ParsesBoundsWithAndWithoutNames) {
  EXPECT_EQ(Parsed(LimitKind::kFailBelow, "20"), ":20");
  EXPECT_EQ(Parsed(LimitKind::kFailBelow, "fc:30dB,layer1.*:-2.5,20 dB"),
            "fc:30 layer1.*:-2.5 :20");
  EXPECT_EQ(Parsed(LimitKind::kMaxClip, "1%,a:b:0.5%"), ":0.01 a:b:0.005");
}

TEST(LimitsTest, RefusesWhatIsNoBound) {
  for (const char* text : {"", "x", "20,", "fc:", "nan", "inf", "20%"}) {
    EXPECT_THAT(ErrorOf(LimitKind::kFailBelow, text),
                HasSubstr("is no SQNR in dB"))
        << text;
  }
  for (const char* text : {"1", "0.01", "101%", "-1%", "nan%", "%", "1dB"}) {
    EXPECT_THAT(ErrorOf(LimitKind::kMaxClip, text),
                HasSubstr("is no percentage"))
        << text;
  }
  EXPECT_EQ(ErrorOf(LimitKind::kFailBelow, ":20"),
            "':20' has no name before its colon");
  EXPECT_EQ(ErrorOf(LimitKind::kFailBelow, "20,30"),
            "there are two bounds for all layers");
  EXPECT_EQ(ErrorOf(LimitKind::kFailBelow, "fc:20,fc:30"),
            "there are two bounds for 'fc'");
}

TEST(LimitsTest, ParsesDecibelsOfADrop) {
  EXPECT_EQ(OrThrow(ParseDecibels("1dB")), 1);
  EXPECT_EQ(OrThrow(ParseDecibels("0.5 dB")), 0.5);
  EXPECT_EQ(OrThrow(ParseDecibels("0")), 0);
  for (const char* text : {"", "dB", "-1", "nan", "inf", "1%"}) {
    EXPECT_THAT(MessageOf(ParseDecibels(text)), HasSubstr("no number of dB"))
        << text;
  }
}

TEST(LimitsTest, ChannelsAndOutputsHaveBoundsOfTheirOwn) {
  EXPECT_EQ(Parsed(LimitKind::kMaxDeadChannels, "5%,cat:0%"), ":0.05 cat:0");
  EXPECT_EQ(Parsed(LimitKind::kFailBelowOutput, "20,output[1]:30"),
            ":20 output[1]:30");
}

TEST(LimitsTest, ChecksTheShareOfChannelsThatAreLost) {
  ComparisonResult result =
      Result({Layer("cat", 48), Layer("fc", 30), Layer("sum", 30)});
  result.layers[0].activation->channels = ChannelSummary{12, -5, 9};
  result.layers[1].activation->channels = ChannelSummary{10, 30, 0};
  Limits limits;
  limits.max_dead_channels =
      OrThrow(ParseLayerLimits(LimitKind::kMaxDeadChannels, "1%,fc:0%"));
  EXPECT_THAT(Checked(limits, result),
              ElementsAre("cat 0.75 0.01 no", "fc 0 0 yes"));
  limits.max_dead_channels =
      OrThrow(ParseLayerLimits(LimitKind::kMaxDeadChannels, "sum:1%"));
  EXPECT_THAT(Checked(limits, result), ElementsAre("sum nan 0.01 no"));
}

TEST(LimitsTest, ChecksWhatTheModelReturns) {
  ComparisonResult result = Result({Layer("fc", 10)});
  result.model_outputs = {{"output[0]", "", "", Figures(35)},
                          {"output[1]", "", "", Figures(12)}};
  Limits limits;
  limits.fail_below_output =
      OrThrow(ParseLayerLimits(LimitKind::kFailBelowOutput, "20"));
  EXPECT_THAT(Checked(limits, result),
              ElementsAre("output[0] 35 20 yes", "output[1] 12 20 no"));
  limits.fail_below_output =
      OrThrow(ParseLayerLimits(LimitKind::kFailBelowOutput, "output[1]:10"));
  EXPECT_THAT(Checked(limits, result), ElementsAre("output[1] 12 10 yes"));
  NS_EXPECT_OK(CheckLimitNames(limits, result));
}

TEST(LimitsTest, AnOutputThatIsNotThereCrosses) {
  ComparisonResult result = Result({Layer("fc", 10)});
  result.model_outputs = {{"output", "", "", Figures(35)}};
  Limits limits;
  limits.fail_below_output =
      OrThrow(ParseLayerLimits(LimitKind::kFailBelowOutput, "logits:20,30"));
  EXPECT_THAT(Checked(limits, result),
              ElementsAre("output 35 30 yes", "logits nan 20 no"));
}

TEST(LimitsTest, ChecksEveryLayerThatHasAFigure) {
  const ComparisonResult result =
      Result({Layer("a", 30), Layer("b", {}), Layer("c", 19.5)});
  EXPECT_THAT(Checked(FailBelow("20"), result),
              ElementsAre("a 30 20 yes", "c 19.5 20 no"));
  EXPECT_THAT(Checked(Limits(), result), IsEmpty());
}

TEST(LimitsTest, ABoundIsKeptByAFigureThatEqualsIt) {
  EXPECT_THAT(Checked(FailBelow("20"), Result({Layer("a", 20)})),
              ElementsAre("a 20 20 yes"));
  EXPECT_THAT(Checked(MaxClip("3%"), Result({Clipping("a", 1, 2)})),
              ElementsAre("a 0.03 0.03 yes"));
}

// A name comes before globs, those before the bound for all, and of globs the
// last.
TEST(LimitsTest, TheClosestPartDecides) {
  const ComparisonResult result =
      Result({Layer("x.a", 30), Layer("x.b", 30), Layer("y", 30)});
  EXPECT_THAT(Checked(FailBelow("x.a:1,x.*:2,3"), result),
              ElementsAre("x.a 30 1 yes", "x.b 30 2 yes", "y 30 3 yes"));
  EXPECT_THAT(Checked(FailBelow("3,x.*:2,*:4,x.a:1"), result),
              ElementsAre("x.a 30 1 yes", "x.b 30 4 yes", "y 30 4 yes"));
  EXPECT_THAT(Checked(FailBelow("x.?:5"), result),
              ElementsAre("x.a 30 5 yes", "x.b 30 5 yes"));
}

TEST(LimitsTest, NamesMayLookLikeGlobs) {
  const ComparisonResult result = Result({Layer("a[0]", 30), Layer("a0", 30)});
  EXPECT_THAT(Checked(FailBelow("a[0]:1,2"), result),
              ElementsAre("a[0] 30 1 yes", "a0 30 1 yes"));
}

TEST(LimitsTest, NanCrossesLimits) {
  EXPECT_THAT(Checked(FailBelow("-1000"), Result({Layer("a", kNan)})),
              ElementsAre("a nan -1000 no"));
  LayerComparison layer = Clipping("a", 0, 0);
  layer.activation->ranges->float_max = kNan;
  EXPECT_THAT(Checked(MaxClip("100%"), Result({layer})),
              ElementsAre("a nan 1 no"));
}

TEST(LimitsTest, InfinitiesAreFigures) {
  EXPECT_THAT(Checked(FailBelow("20"),
                      Result({Layer("a", kInfinity), Layer("b", -kInfinity)})),
              ElementsAre("a inf 20 yes", "b -inf 20 no"));
}

TEST(LimitsTest, OfSeveralOutputsTheLowestIsChecked) {
  LayerComparison layer = Layer("lstm", 30);
  layer.outputs = {Output("h_n", 40, 40, 40), Output("c_n", 10, 40, 40)};
  EXPECT_THAT(Checked(FailBelow("20"), Result({layer})),
              ElementsAre("lstm/c_n 10 20 no"));
}

TEST(LimitsTest, APartWithoutAnyFigureIsCrossed) {
  const ComparisonResult result =
      Result({Layer("x.a", {}), Layer("x.b", {}), Layer("y", 30)});
  EXPECT_THAT(Checked(FailBelow("20,x.*:25"), result),
              ElementsAre("y 30 20 yes", "x.* nan 25 no"));
  EXPECT_THAT(Checked(MaxClip("1%"), result), ElementsAre(" nan 0.01 no"));
  // It decides for no layer.
  EXPECT_THAT(Checked(FailBelow("y:20,y*:25"), Result({Layer("y", 30)})),
              ElementsAre("y 30 20 yes"));
}

TEST(LimitsTest, SharesOfBothEndsAreClipped) {
  EXPECT_THAT(Checked(MaxClip("3%"),
                      Result({Clipping("a", 2, 3), Clipping("b", 1, 1)})),
              ElementsAre("a 0.05 0.03 no", "b 0.02 0.03 yes"));
}

TEST(LimitsTest, CountsUnmatchedOpsOfBothModels) {
  ComparisonResult result = Result({Layer("a", 30)});
  result.unmatched = {{"float", "x", "aten::log", "why"},
                      {"quantized", "y", "aten::exp", "why"}};
  Limits limits;
  limits.max_unmatched = 1;
  EXPECT_THAT(Checked(limits, result), ElementsAre(" 2 1 no"));
  limits.max_unmatched = 2;
  EXPECT_THAT(Checked(limits, result), ElementsAre(" 2 2 yes"));
}

TEST(LimitsTest, RefusesNamesOfNoLayerWithTheNearest) {
  const ComparisonResult result = Result({Layer("conv1", {}), Layer("fc", {})});
  NS_EXPECT_OK(CheckLimitNames(FailBelow("20,fc:1,c*:2"), result));
  EXPECT_EQ(CheckLimitNames(FailBelow("fc:1,cov1:20"), result).message(),
            "--fail-below=cov1:20 names no layer; did you mean 'conv1'?");
  EXPECT_EQ(CheckLimitNames(MaxClip("layer9.*:0.5%"), result).message(),
            "--max-clip=layer9.*:0.5% names no layer; ns match prints their "
            "names");
}

TEST(LimitsTest, AScoreMayDropByTheBound) {
  ComparisonResult result = Result({Layer("fc", 10)});
  // The difference is a little more than 0.01 in floating point.
  result.scores = {{"map", 0.912, 0.902, -0.01}, {"wer", 0.5, 0.75, 0.25}};
  Limits limits;
  limits.max_score_drop =
      OrThrow(ParseLayerLimits(LimitKind::kMaxScoreDrop, "0.01"));
  std::vector<LimitCheck> checks = CheckLimits(limits, result);
  ASSERT_EQ(checks.size(), 2U);
  EXPECT_EQ(checks[0].layer, "map");
  EXPECT_TRUE(checks[0].passed);
  EXPECT_TRUE(checks[1].passed);
  EXPECT_EQ(checks[1].value, -0.25);
  result.scores[0].of_quantized = 0.9;
  result.scores[1].of_quantized = std::nan("");
  checks = CheckLimits(limits, result);
  EXPECT_FALSE(checks[0].passed);
  EXPECT_FALSE(checks[1].passed);
}

TEST(LimitsTest, EachScoreMayHaveABound) {
  ComparisonResult result = Result({Layer("fc", 10)});
  result.scores = {{"map", 1, 0.5, -0.5}, {"f1", 1, 0.5, -0.5}};
  Limits limits;
  limits.max_score_drop =
      OrThrow(ParseLayerLimits(LimitKind::kMaxScoreDrop, "f1:0.75,0"));
  EXPECT_THAT(Checked(limits, result),
              ElementsAre("map 0.5 0 no", "f1 0.5 0.75 yes"));
  result.scores.clear();
  EXPECT_THAT(Checked(limits, result),
              ElementsAre("f1 nan 0.75 no", " nan 0 no"));
}

TEST(LimitsTest, RefusesNamesOfNoScoreAndBoundsThatAreNone) {
  Limits limits;
  limits.max_score_drop =
      OrThrow(ParseLayerLimits(LimitKind::kMaxScoreDrop, "0,recal:0.5"));
  EXPECT_EQ(
      CheckScoreNames(limits, {"recall", "f1"}).message(),
      "--max-score-drop=recal:0.5 names no score; did you mean 'recall'?");
  EXPECT_EQ(CheckScoreNames(limits, {"wer"}).message(),
            "--max-score-drop=recal:0.5 names no score; the scores are wer");
  NS_EXPECT_OK(CheckScoreNames(limits, {"recal"}));
  for (const char* text : {"", "-1", "1%", "1dB", "nan", "inf", "map:"}) {
    EXPECT_THAT(ErrorOf(LimitKind::kMaxScoreDrop, text),
                HasSubstr("is not a number of at least 0"))
        << text;
  }
}

}  // namespace
}  // namespace ns
