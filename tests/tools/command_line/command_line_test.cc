#include "tools/command_line/command_line.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr FlagSpec kFlags[] = {
    Heading("files"),
    {"float", "PATH", "a file"},
    {"inputs", "PATHS", "several files", true},
    {"out", "PATH", "another file"},
    Heading("more"),
    {"sort", "ORDER", "graph or error", false, "order"},
    {"quiet", "", "no words"},
};
constexpr absl::string_view kPositionals[] = {"float", "inputs"};
constexpr CommandSpec kCommand = {
    "press",        "presses",   "ns press FLOAT [INPUTS]", "", kFlags,
    "ns press a b", kPositionals};
constexpr CommandSpec kOther = {"weigh", "weighs",    "weigh A B", "",
                                kFlags,  "weigh a b", {},          2};

Flags Parsed(const std::vector<std::string>& arguments,
             const CommandSpec& command = kCommand) {
  const absl::StatusOr<Flags> flags = Flags::Parse(arguments, command);
  EXPECT_TRUE(flags.ok()) << flags.status();
  return flags.value_or(Flags());
}

std::string Error(const std::vector<std::string>& arguments,
                  const CommandSpec& command = kCommand) {
  return std::string(Flags::Parse(arguments, command).status().message());
}

TEST(FlagsTest, ValuesFollowAnEqualsSignOrASpace) {
  const Flags flags =
      Parsed({"--float", "a.pt", "--sort=error", "--quiet", "--out", "-"});
  EXPECT_EQ(flags.Get("float"), "a.pt");
  EXPECT_EQ(flags.Get("sort"), "error");
  EXPECT_EQ(flags.Get("out"), "-");
  EXPECT_TRUE(flags.Has("quiet"));
}

TEST(FlagsTest, ASwitchTakesNoArgumentAsItsValue) {
  EXPECT_EQ(Parsed({"--quiet", "a.pt"}).Get("float"), "a.pt");
}

TEST(FlagsTest, AFlagIsNoValueOfAnother) {
  EXPECT_EQ(Error({"--out", "--quiet"}), "--out needs a value: --out=PATH");
  EXPECT_EQ(Error({"--out"}), "--out needs a value: --out=PATH");
  EXPECT_EQ(Error({"--out", ""}), "--out needs a value: --out=PATH");
}

TEST(FlagsTest, OIsOut) {
  EXPECT_EQ(Parsed({"-o", "b.pt"}).Get("out"), "b.pt");
  EXPECT_EQ(Parsed({"-o=b.pt"}).Get("out"), "b.pt");
  EXPECT_THAT(Error({"-o", "a", "--out=b"}), HasSubstr("--out is given twice"));
  EXPECT_THAT(Error({"-ob.pt"}), HasSubstr("'-ob.pt'"));
}

TEST(FlagsTest, ACommandCanBeTypedAgain) {
  EXPECT_EQ(Parsed({"a.pt", "-o", "b c.pt", "--sort=error"}).CommandText(),
            "ns press a.pt -o 'b c.pt' --sort=error");
  EXPECT_EQ(Parsed({"it's", "--quiet"}).CommandText(),
            "ns press 'it'\\''s' --quiet");
  EXPECT_EQ(Parsed({"--out=-", "--float=a b", "--sort=-x"}).CommandText(),
            "ns press --out=- --float='a b' --sort=-x");
}

TEST(FlagsTest, AFlagMayHaveTwoNames) {
  EXPECT_EQ(Parsed({"--order=error"}).Get("sort"), "error");
  EXPECT_FALSE(Parsed({"--order=error"}).Has("order"));
  EXPECT_THAT(Error({"--order=error", "--sort=graph"}),
              HasSubstr("--sort is given twice"));
}

TEST(FlagsTest, PositionalsFillTheFlagsThatAreNotGiven) {
  const Flags flags = Parsed({"a.pt", "--quiet", "b.pt", "c.pt"});
  EXPECT_EQ(flags.Get("float"), "a.pt");
  EXPECT_EQ(flags.Get("inputs"), "b.pt,c.pt");
  EXPECT_THAT(flags.arguments(), IsEmpty());
  EXPECT_EQ(Parsed({"--float=a.pt", "b.pt"}).Get("inputs"), "b.pt");
  EXPECT_EQ(Parsed({"b.pt", "--float=a.pt"}).Get("inputs"), "b.pt");
}

TEST(FlagsTest, PositionalsBeyondTheLastAreAnError) {
  EXPECT_THAT(Error({"a", "--inputs=b", "c"}), HasSubstr("'c'"));
  EXPECT_THAT(Error({"a", "b", "c"}, kOther), HasSubstr("'c'"));
  EXPECT_THAT(Parsed({"a", "b"}, kOther).arguments(), ElementsAre("a", "b"));
}

TEST(FlagsTest, AnEmptyPositionalIsAnError) {
  EXPECT_EQ(Error({""}), "--float needs a value: --float=PATH");
}

TEST(FlagsTest, UnknownFlagsGetTheNearestName) {
  EXPECT_EQ(Error({"--flaot=a"}),
            "unknown flag --flaot; did you mean --float?");
  EXPECT_EQ(Error({"--xyz"}), "unknown flag --xyz; see ns help press");
  EXPECT_EQ(Error({"--xyz"}, kOther), "unknown flag --xyz; see weigh --help");
  EXPECT_THAT(Error({"--=a"}), HasSubstr("unknown flag --"));
}

TEST(FlagsTest, ChoicesGetTheNearestName) {
  const Flags flags = Parsed({"--sort=eror"});
  EXPECT_EQ(flags.Choice("sort", {"graph", "error"}).status().message(),
            "--sort=eror is not one of graph, error; did you mean error?");
  EXPECT_EQ(Parsed({"--sort=up"})
                .Choice("sort", {"graph", "error"})
                .status()
                .message(),
            "--sort=up is not one of graph, error");
}

}  // namespace
}  // namespace ns
