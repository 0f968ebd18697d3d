#include "ir/text/check_nesting.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/text/code_tokens.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::HasSubstr;

constexpr int kDeep = 1001;

absl::Status Check(const std::string& code) {
  return CheckNesting(CodeTokens(code));
}

std::string Times(int count, const std::string& text) {
  std::string result;
  for (int i = 0; i < count; ++i) {
    result += text;
  }
  return result;
}

// `count` blocks, each in the one before it.
std::string Blocks(int count) {
  std::string code;
  for (int i = 0; i < count; ++i) {
    code += std::string(i, ' ') + "if x:\n";
  }
  return code + std::string(count, ' ') + "y = 1\n";
}

TEST(CheckNestingTest, AcceptsWhatPeopleWrite) {
  NS_EXPECT_OK(Check(""));
  NS_EXPECT_OK(Check(Blocks(100)));
  NS_EXPECT_OK(Check("y = " + Times(200, "(") + "1" + Times(200, ")")));
}

TEST(CheckNestingTest, RefusesWhatOverflowsTheStack) {
  for (const std::string& deep :
       {Times(kDeep, "("), Times(kDeep, "List["), Times(kDeep, "{"),
        "y = " + Times(kDeep, "-") + "1", "y = 1" + Times(kDeep, " + 1"),
        "y = " + Times(kDeep, "not ") + "x", "y = x" + Times(kDeep, "[0]"),
        "y = " + Times(kDeep, "1 if x else ") + "0",
        "y : int" + Times(kDeep, "[]"), "y = x" + Times(kDeep, ".a"),
        Blocks(kDeep),
        "if x:\n  y = 1\n" + Times(kDeep, "elif x:\n  y = 1\n")}) {
    EXPECT_THAT(std::string(Check(deep).message()),
                HasSubstr("nests more than 1000 deep"))
        << deep.substr(0, 30);
  }
}

TEST(CheckNestingTest, WhatFollowsEachOtherIsNotDeep) {
  NS_EXPECT_OK(Check(Times(kDeep, "y = (1)\n")));
  NS_EXPECT_OK(Check("y = [" + Times(kDeep, "(-1 + 2), ") + "]\n"));
  NS_EXPECT_OK(Check(Times(kDeep, "if x:\n  y = 1\nelif x:\n  y = 2\n")));
  NS_EXPECT_OK(Check("f(\n" + Times(kDeep, "  x, \n") + ")\n"));
}

TEST(CheckNestingTest, StringsAndCommentsAreNoCode) {
  const std::string brackets = Times(kDeep, "(");
  NS_EXPECT_OK(Check("y = \"" + brackets + "\"\n"));
  NS_EXPECT_OK(Check("y = '\\'" + brackets + "'\n"));
  NS_EXPECT_OK(Check("y = '''\n" + brackets + "'''\n"));
  NS_EXPECT_OK(Check("# " + brackets + "\n"));
}

TEST(CheckNestingTest, WhatOnlyLooksLikeStringsAndCommentsIsCode) {
  const std::string brackets = Times(kDeep, "(");
  // LibTorch takes the type in such a comment for code, and a quote without an
  // end for an error.
  EXPECT_FALSE(Check("# type: " + brackets).ok());
  EXPECT_FALSE(Check("y = '\n" + brackets).ok());
  EXPECT_FALSE(Check("y = '" + brackets).ok());
}

TEST(CheckNestingTest, TakesAnyBytes) {
  for (int first = 0; first < 256; ++first) {
    for (const char* rest : {"", "x", "\n", "\\", "'", "#", ")"}) {
      (void)Check(std::string(1, static_cast<char>(first)) + rest);
    }
  }
}

}  // namespace
}  // namespace ns
