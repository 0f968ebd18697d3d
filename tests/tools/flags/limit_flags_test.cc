#include "tools/flags/limit_flags.h"

#include <fstream>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/report/json/json_report.h"
#include "tests/ns/report/table_results.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::HasSubstr;

constexpr FlagSpec kFlags[] = {kFailBelowFlag, kMaxClipFlag, kMaxUnmatchedFlag,
                               kBaselineFlag,  kMaxDropFlag, kEarlyStopFlag,
                               kJunitFlag};
constexpr CommandSpec kSpec = {"compare", "", "", "", kFlags, ""};
constexpr LimitedFigures kAll = {true, true, true};

absl::StatusOr<LimitFlags> Parse(const std::vector<std::string>& arguments,
                                 const LimitedFigures& figures = kAll) {
  return ParseLimitFlags(OrThrow(Flags::Parse(arguments, kSpec)), figures);
}

LimitChecker Checker(const std::vector<std::string>& arguments) {
  return OrThrow(LimitChecker::Create(OrThrow(Parse(arguments))));
}

std::string Written(const ComparisonResult& result) {
  std::string path = ::testing::TempDir() + "/limit_flags_test.json";
  std::ofstream(path) << ToJson(result);
  return path;
}

TEST(LimitFlagsTest, ReadsAllLimits) {
  const LimitFlags flags = OrThrow(
      Parse({"--fail-below=20,fc:30", "--max-clip=1%", "--max-unmatched=0",
             "--baseline=a.json", "--max-drop=0.5dB", "--junit=a.xml"}));
  EXPECT_EQ(flags.limits.fail_below.size(), 2U);
  EXPECT_EQ(flags.limits.max_clip[0].bound, 0.01);
  EXPECT_EQ(flags.limits.max_unmatched, 0);
  EXPECT_EQ(flags.baseline_path, "a.json");
  EXPECT_EQ(flags.max_drop_db, 0.5);
  EXPECT_FALSE(flags.empty());
  EXPECT_TRUE(OrThrow(Parse({})).empty());
}

TEST(LimitFlagsTest, NamesTheFlagThatIsWrong) {
  const auto error = [](const std::vector<std::string>& arguments) {
    return MessageOf(Parse(arguments));
  };
  EXPECT_THAT(error({"--fail-below=20dBm"}),
              HasSubstr("--fail-below: '20dBm' is no SQNR"));
  EXPECT_THAT(error({"--max-clip=1"}), HasSubstr("--max-clip: '1' is no"));
  EXPECT_THAT(error({"--max-unmatched=-1"}), HasSubstr("--max-unmatched=-1"));
  EXPECT_THAT(error({"--baseline=a", "--max-drop=1%"}),
              HasSubstr("--max-drop: '1%' is no number"));
}

TEST(LimitFlagsTest, FlagsNeedEachOther) {
  EXPECT_THAT(MessageOf(Parse({"--max-drop=1dB"})),
              HasSubstr("--max-drop needs --baseline=PATH"));
  EXPECT_THAT(MessageOf(Parse({"--baseline=a.json"})),
              HasSubstr("--baseline needs a limit, such as --max-drop=1dB"));
  EXPECT_THAT(MessageOf(Parse({"--junit=a.xml"})),
              HasSubstr("--junit needs a limit"));
  EXPECT_THAT(MessageOf(Parse({"--early-stop"})),
              HasSubstr("--early-stop needs a limit"));
}

TEST(LimitFlagsTest, LimitsNeedTheirFigures) {
  const LimitedFigures weights = {true, false, false};
  const LimitedFigures shadows = {true, false, true};
  const LimitedFigures modules = {};
  EXPECT_THAT(MessageOf(Parse({"--fail-below=1"}, weights)),
              HasSubstr("--fail-below is on activations"));
  EXPECT_THAT(MessageOf(Parse({"--fail-below=1"}, shadows)),
              HasSubstr("--fail-below is on activations"));
  EXPECT_THAT(MessageOf(Parse({"--max-clip=1%"}, weights)),
              HasSubstr("--max-clip is on activations"));
  EXPECT_EQ(MessageOf(Parse({"--max-clip=1%"}, shadows)), "");
  EXPECT_EQ(MessageOf(Parse({"--max-unmatched=1"}, weights)), "");
  EXPECT_THAT(MessageOf(Parse({"--max-unmatched=1"}, modules)),
              HasSubstr("limits are on single layers"));
}

TEST(LimitFlagsTest, MatchesAreCheckedBeforeAnythingRuns) {
  LimitChecker checker = Checker({"--fail-below=fcc:30"});
  EXPECT_THAT(
      std::string(checker.CheckMatches(Result({Layer("fc", {})})).message()),
      HasSubstr("did you mean 'fc'?"));
  EXPECT_FALSE(checker.wrong_usage().ok());
}

TEST(LimitFlagsTest, ABaselineOfAnotherModelIsNoWrongUsage) {
  const std::string path = Written(Result({Layer("other", 1)}));
  LimitChecker checker = Checker({"--baseline=" + path, "--max-drop=1"});
  EXPECT_THAT(
      std::string(checker.CheckMatches(Result({Layer("fc", {})})).message()),
      HasSubstr(path + ": is of another model"));
  NS_EXPECT_OK(checker.wrong_usage());
}

TEST(LimitFlagsTest, AddsChecksAndBaselineToAResult) {
  const std::string path =
      Written(Result({Layer("a", 30), Layer("b", 30), Layer("x", 1)}));
  const LimitChecker checker =
      Checker({"--fail-below=20", "--baseline=" + path, "--max-drop=1"});
  ComparisonResult result =
      Result({Layer("a", 29), Layer("b", 25), Layer("y", 1)});
  checker.Check(result);
  std::string passed;
  for (const LimitCheck& check : *result.limits) {
    passed += check.passed ? '1' : '0';
  }
  EXPECT_EQ(passed, "11010");
  EXPECT_EQ(result.baseline->added, (std::vector<std::string>{"y"}));
  EXPECT_EQ(result.baseline->vanished, (std::vector<std::string>{"x"}));
}

TEST(LimitFlagsTest, TellsLimitsThatAreCrossedForGood) {
  LayerComparison layer = Layer("a", kNan);
  const std::string path = Written(Result({Layer("a", 30)}));
  for (const auto& flags :
       {std::vector<std::string>{"--fail-below=20"},
        std::vector<std::string>{"--baseline=" + path, "--max-drop=1"}}) {
    layer.activation->non_finite.reset();
    EXPECT_FALSE(Checker(flags).IsCrossedForGood(Result({layer}), 5));
    layer.activation->non_finite = {0, 0, 1, 0};
    EXPECT_TRUE(Checker(flags).IsCrossedForGood(Result({layer}), 5));
  }
}

TEST(LimitFlagsTest, WithoutLimitsNothingIsAdded) {
  ComparisonResult result = Result({Layer("a", 29)});
  Checker({}).Check(result);
  EXPECT_FALSE(result.limits.has_value());
}

}  // namespace
}  // namespace ns
