#include "passes/pipeline/pass_options.h"

#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(ParsePassSpecsTest, ReadsNamesAndOptions) {
  const std::vector<PassSpec> specs =
      OrThrow(ParsePassSpecs("a, b{x=1, flag} ,c{y=2}"));
  ASSERT_EQ(specs.size(), 3);
  EXPECT_EQ(specs[0].name, "a");
  EXPECT_THAT(specs[0].options, IsEmpty());
  EXPECT_EQ(specs[1].name, "b");
  EXPECT_THAT(specs[1].options, ElementsAre(Pair("x", "1"), Pair("flag", "")));
  EXPECT_EQ(specs[2].name, "c");
  EXPECT_THAT(specs[2].options, ElementsAre(Pair("y", "2")));
}

TEST(ParsePassSpecsTest, SaysWhatIsWrong) {
  const auto message = [](const char* text) {
    return MessageOf(ParsePassSpecs(text));
  };
  EXPECT_EQ(message("a,,b"),
            "'a,,b' has a pass without a name; write name,name{option=value}");
  EXPECT_EQ(message(""),
            "'' has a pass without a name; write name,name{option=value}");
  EXPECT_EQ(message("a{x=1"), "pass 'a' has '{' without '}' in 'a{x=1'");
  EXPECT_EQ(message("a{=1}"),
            "pass 'a' has an option without a name in '{=1}'; write "
            "{name=value,...}");
  EXPECT_EQ(message("a{x=1,x=2}"),
            "pass 'a' has option 'x' twice; give it once");
  EXPECT_EQ(message("a{x=1}b"),
            "expected ',' behind pass 'a' and found 'b' in 'a{x=1}b'");
  EXPECT_EQ(message("a}"),
            "expected ',' behind pass 'a' and found '}' in 'a}'");
}

constexpr PassOption kKnown[] = {
    {"fuse", "true|false", "true", "whether layers are fused"},
    {"sums", "true|false", "false", "whether sums are"},
    {"mode", "a|b", "b", "how"},
    {"path", "PATH", "none.json", "a file"},
};

std::string ErrorOf(PassOptions::Values values) {
  return MessageOf(PassOptions::Create(std::move(values), kKnown));
}

TEST(PassOptionsTest, AreWhatIsGivenAndOtherwiseTheDefault) {
  const PassOptions given = OrThrow(PassOptions::Create(
      {{"fuse", "false"}, {"sums", ""}, {"mode", "a"}, {"path", "x|y"}},
      kKnown));
  EXPECT_FALSE(given.Flag("fuse"));
  EXPECT_TRUE(given.Flag("sums"));
  EXPECT_EQ(given.Text("mode"), "a");
  EXPECT_EQ(given.Text("path"), "x|y");
  const PassOptions otherwise = OrThrow(PassOptions::Create({}, kKnown));
  EXPECT_TRUE(otherwise.Flag("fuse"));
  EXPECT_FALSE(otherwise.Flag("sums"));
  EXPECT_EQ(otherwise.Text("mode"), "b");
  EXPECT_EQ(otherwise.Text("path"), "none.json");
}

TEST(PassOptionsTest, RefusesWhatAnOptionDoesNotTake) {
  EXPECT_EQ(ErrorOf({{"fuse", "maybe"}}),
            "option 'fuse' is 'maybe'; use true or false");
  EXPECT_EQ(ErrorOf({{"mode", "c"}}), "option 'mode' is 'c'; use a or b");
  EXPECT_EQ(ErrorOf({{"mode", ""}}), "option 'mode' is ''; use a or b");
}

TEST(PassOptionsTest, RefusesOptionsThatThePassDoesNotHave) {
  EXPECT_EQ(ErrorOf({{"fues", "true"}}),
            "has no option 'fues'; did you mean 'fuse'?");
  EXPECT_EQ(ErrorOf({{"nothing-like-them", ""}}),
            "has no option 'nothing-like-them'; it takes fuse, sums, mode, "
            "path");
  EXPECT_EQ(MessageOf(PassOptions::Create({{"x", ""}}, {})),
            "has no option 'x'; it takes none");
}

TEST(OptionTextTest, HasTheDefaultFirst) {
  EXPECT_EQ(OptionText(kKnown[0]), "fuse=true|false");
  EXPECT_EQ(OptionText(kKnown[1]), "sums=false|true");
  EXPECT_EQ(OptionText(kKnown[2]), "mode=b|a");
  EXPECT_EQ(OptionText(kKnown[3]), "path=none.json");
  EXPECT_EQ(OptionText({"path", "PATH", "", "a file"}), "path=PATH");
}

}  // namespace
}  // namespace ns
