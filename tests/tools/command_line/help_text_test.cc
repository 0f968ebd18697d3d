#include "tools/command_line/help_text.h"

#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ns {
namespace {

using ::testing::HasSubstr;
using ::testing::Le;
using ::testing::Not;
using ::testing::SizeIs;

constexpr FlagSpec kFlags[] = {
    Heading("files"),
    {"float", "PATH",
     "the model that all the others are held against, in a "
     "file that torch.jit.save wrote"},
    Heading("more"),
    {"a-name-that-is-too-long-for-a-column", "N", "the text is below"},
    {"quiet", "", "no words"},
};
constexpr CommandSpec kCommand = {"press", "presses", "ns press [FLOAT]",
                                  "",      kFlags,    "ns press a.pt"};

TEST(HelpTextTest, WrapsFlagsUnderTheirHeadings) {
  EXPECT_THAT(HelpText(kCommand, 60), HasSubstr(R"(
files:
  --float=PATH  the model that all the others are held
                against, in a file that torch.jit.save wrote

more:
  --a-name-that-is-too-long-for-a-column=N
                the text is below
  --quiet       no words
)"));
}

TEST(HelpTextTest, FitsTheWidth) {
  for (const size_t width : {0, 60, 80, 100}) {
    for (const std::string& line : std::vector<std::string>(
             absl::StrSplit(HelpText(kCommand, width), '\n'))) {
      EXPECT_THAT(line, SizeIs(Le(width == 0 ? 60 : width)));
    }
  }
}

TEST(HelpTextTest, ExamplesWorkWithTheBinaryAtHand) {
  unsetenv("BUILD_WORKING_DIRECTORY");
  EXPECT_EQ(ExampleLine(kCommand), "ns press a.pt");
  setenv("BUILD_WORKING_DIRECTORY", "/", 1);
  EXPECT_EQ(ExampleLine(kCommand), "bazel run -c opt //tools:ns -- press a.pt");
  unsetenv("BUILD_WORKING_DIRECTORY");
}

}  // namespace
}  // namespace ns
