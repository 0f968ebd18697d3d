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

PassOptions Options(PassOptions::Values values) {
  return PassOptions(std::move(values));
}

TEST(PassOptionsTest, GivesWhatIsThereAndOtherwiseTheDefault) {
  PassOptions options =
      Options({{"on", ""}, {"off", "false"}, {"text", "x"}, {"mode", "b"}});
  EXPECT_TRUE(options.Flag("on", false));
  EXPECT_FALSE(options.Flag("off", true));
  EXPECT_TRUE(options.Flag("absent", true));
  EXPECT_EQ(options.Text("text", "y"), "x");
  EXPECT_EQ(options.Text("absent_text", "y"), "y");
  EXPECT_EQ(options.Choice("mode", {"a", "b"}), "b");
  EXPECT_EQ(options.Choice("absent_mode", {"a", "b"}), "a");
  NS_EXPECT_OK(options.Check());
}

TEST(PassOptionsTest, RefusesWhatAnOptionDoesNotTake) {
  PassOptions flag = Options({{"fuse", "maybe"}});
  flag.Flag("fuse", true);
  EXPECT_EQ(flag.Check().message(),
            "option 'fuse' is 'maybe'; use true or false");
  PassOptions choice = Options({{"mode", "c"}});
  choice.Choice("mode", {"a", "b"});
  EXPECT_EQ(choice.Check().message(), "option 'mode' is 'c'; use a or b");
}

TEST(PassOptionsTest, RefusesOptionsThatNobodyAskedFor) {
  PassOptions misspelt = Options({{"fues", "true"}});
  misspelt.Flag("fuse", true);
  EXPECT_EQ(misspelt.Check().message(),
            "has no option 'fues'; did you mean 'fuse'?");
  EXPECT_EQ(Options({{"x", ""}}).Check().message(),
            "has no option 'x'; it takes none");
}

}  // namespace
}  // namespace ns
