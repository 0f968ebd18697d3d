#include "ns/findings/limits/limit_text.h"

#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ns {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

LimitCheck Below(const std::string& layer, double value, double bound) {
  return {LimitKind::kFailBelow, layer, "", "", value, bound, 0,
          value >= bound};
}

LimitCheck Drop(double value, double tolerance) {
  return {LimitKind::kMaxDrop, "fc", "", "shadow", value, 1, tolerance, false};
}

TEST(LimitTextTest, KindsHaveTheNamesOfTheirFlags) {
  for (const LimitKind kind :
       {LimitKind::kFailBelow, LimitKind::kMaxClip, LimitKind::kMaxDeadChannels,
        LimitKind::kFailBelowOutput, LimitKind::kMaxScoreDrop,
        LimitKind::kMaxUnmatched, LimitKind::kMaxDrop,
        LimitKind::kMaxOutputDrop}) {
    EXPECT_EQ(LimitKindNamed(LimitName(kind)), kind);
  }
  EXPECT_EQ(LimitName(LimitKind::kMaxClip), "max-clip");
  EXPECT_FALSE(LimitKindNamed("clip").has_value());
}

TEST(LimitTextTest, SaysWhyALimitIsCrossed) {
  EXPECT_EQ(CrossedText(Below("fc", 21.27, 30)),
            "activation SQNR 21.3 dB is below --fail-below=30");
  EXPECT_EQ(CrossedText({LimitKind::kMaxClip, "fc", "", "", 0.0523, 0.01}),
            "5.2 % of the values are clipped, more than --max-clip=1%");
  EXPECT_EQ(CrossedText({LimitKind::kMaxUnmatched, "", "", "", 3, 0}),
            "3 ops are unmatched, more than --max-unmatched=0");
  EXPECT_EQ(CrossedText(Drop(2.5, 0)),
            "shadow SQNR dropped by 2.5 dB, more than --max-drop=1dB");
  EXPECT_EQ(CrossedText(Drop(2.5, 0.25)),
            "shadow SQNR dropped by 2.5 dB, more than --max-drop=1dB and 0.25 "
            "for the spread over batches");
}

TEST(LimitTextTest, SaysWhatChannelsAndOutputsCross) {
  EXPECT_EQ(
      CrossedText({LimitKind::kMaxDeadChannels, "cat", "", "", 0.75, 0.01}),
      "75.0 % of the channels are below 3 dB, more than "
      "--max-dead-channels=1%");
  EXPECT_EQ(
      CrossedText({LimitKind::kFailBelowOutput, "output", "", "", 12, 20}),
      "output SQNR 12.0 dB is below --fail-below-output=20");
  EXPECT_EQ(CrossedText({LimitKind::kMaxOutputDrop, "output", "", "output", 3,
                         1, 0, false}),
            "output SQNR dropped by 3.0 dB, more than --max-output-drop=1dB");
  EXPECT_THAT(
      CrossedText({LimitKind::kMaxDeadChannels, "fc", "", "", kNan, 0.01}),
      HasSubstr("no channels"));
  EXPECT_THAT(
      CrossedText({LimitKind::kFailBelowOutput, "logits", "", "", kNan, 20}),
      HasSubstr("no output of the models has this SQNR"));
}

TEST(LimitTextTest, SaysByHowMuchAScoreDropped) {
  EXPECT_EQ(
      CrossedText({LimitKind::kMaxScoreDrop, "map", "", "", 0.0381, 0.01}),
      "the quantized model's score is 0.0381 lower, more than "
      "--max-score-drop=0.01");
  // With as many digits as it takes.
  EXPECT_THAT(
      CrossedText({LimitKind::kMaxScoreDrop, "map", "", "", 0.010001, 0.01}),
      HasSubstr("score is 0.010001 lower"));
  EXPECT_EQ(CrossedText({LimitKind::kMaxScoreDrop, "map", "", "", kNan, 0.01}),
            "a score is nan or was not computed, and --max-score-drop=0.01 "
            "needs a number");
}

TEST(LimitTextTest, SaysSoOfNan) {
  EXPECT_THAT(CrossedText(Below("fc", kNan, 30)), HasSubstr("SQNR is nan"));
  EXPECT_THAT(CrossedText({LimitKind::kMaxClip, "fc", "", "", kNan, 0.01}),
              HasSubstr("no share of clipped values"));
  EXPECT_THAT(CrossedText(Drop(kNan, 0)), HasSubstr("shadow SQNR is nan"));
  EXPECT_THAT(CrossedText({LimitKind::kMaxDrop, "", "", "", kNan, 1}),
              HasSubstr("no figure is in both"));
}

TEST(LimitTextTest, AFigureNeverLooksLikeItsLimit) {
  EXPECT_THAT(CrossedText(Below("fc", 29.9996, 30)),
              HasSubstr("29.9996 dB is below"));
  EXPECT_THAT(CrossedText(Below("fc", 29.96, 30)), HasSubstr("29.96 dB"));
  EXPECT_EQ(CrossedText(Below("fc", 29.75, 29.8)),
            "activation SQNR 29.75 dB is below --fail-below=29.8");
  EXPECT_EQ(CrossedText(Below("fc", 29.76, 29.78)),
            "activation SQNR 29.76 dB is below --fail-below=29.78");
  EXPECT_EQ(CrossedText(Below("fc", 29.9999999, 30)),
            "activation SQNR 29.9999999 dB is below --fail-below=30");
  EXPECT_EQ(CrossedText(Below("fc", 30, 30.0000001)),
            "activation SQNR 30.0 dB is below --fail-below=30.0000001");
  EXPECT_EQ(CrossedText({LimitKind::kMaxClip, "fc", "", "", 0.010000001, 0.01}),
            "1.0000001 % of the values are clipped, more than --max-clip=1%");
  EXPECT_EQ(CrossedText({LimitKind::kMaxClip, "fc", "", "", 0.071, 0.07}),
            "7.1 % of the values are clipped, more than --max-clip=7%");
  EXPECT_EQ(CrossedText({LimitKind::kMaxUnmatched, "", "", "", 1234568, 1e6}),
            "1234568 ops are unmatched, more than --max-unmatched=1000000");
}

TEST(LimitTextTest, ADropNeverLooksLikeWhatIsAllowed) {
  EXPECT_EQ(CrossedText(Drop(1.0001, 0)),
            "shadow SQNR dropped by 1.0001 dB, more than --max-drop=1dB");
  EXPECT_EQ(CrossedText(Drop(1.2553, 0.2551)),
            "shadow SQNR dropped by 1.3 dB, more than --max-drop=1dB and "
            "0.255 for the spread over batches");
}

TEST(LimitTextTest, OneLineNamesWhatWasCrossed) {
  EXPECT_EQ(CrossedLine({}), "");
  EXPECT_EQ(CrossedLine({Below("a", 30, 20)}), "");
  EXPECT_EQ(CrossedLine({Below("a", 30, 20), Below("b\n", 10, 20)}),
            "1 limit crossed: b\\x0a: activation SQNR 10.0 dB is below "
            "--fail-below=20");
  const std::string line =
      CrossedLine(std::vector<LimitCheck>(25, Below("a", 10, 20)));
  EXPECT_THAT(line, HasSubstr("25 limits crossed: a: "));
  EXPECT_THAT(line, EndsWith("; and 5 more"));
}

TEST(LimitTextTest, LinesCountAndList) {
  EXPECT_EQ(LimitLines({Below("a", 30, 20)}), "\n1 limit kept\n");
  EXPECT_EQ(LimitLines({Below("a", 30, 20), Below("b", 10, 20)}),
            "\n1 of 2 limits crossed:\n"
            "  b: activation SQNR 10.0 dB is below --fail-below=20\n");
}

TEST(LimitTextTest, LinesOfABaselineNameLayers) {
  EXPECT_EQ(BaselineLines({"old.json", {}, {}}), "");
  EXPECT_EQ(BaselineLines({"old.json", {"c", "d"}, {"e\x1b"}}),
            "\n2 new, not in old.json:\n  c, d\n"
            "\n1 vanished, only in old.json:\n  e\\x1b\n");
}

}  // namespace
}  // namespace ns
