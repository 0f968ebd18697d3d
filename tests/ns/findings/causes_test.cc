#include "ns/findings/causes.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ns {
namespace {

using ::testing::SizeIs;

TEST(CausesTest, EachCauseHasARowInTheOrderOfNames) {
  constexpr int kLast = static_cast<int>(ErrorCause::kUnexplained);
  ASSERT_THAT(Causes(), SizeIs(kLast + 1));
  for (int i = 0; i <= kLast; ++i) {
    const auto cause = static_cast<ErrorCause>(i);
    EXPECT_EQ(FindCause(ErrorCauseName(cause)), &RowOf(cause));
    EXPECT_EQ(RowOf(cause).cause, cause);
  }
  EXPECT_EQ(Causes().front().name, "none");
  EXPECT_TRUE(std::is_sorted(
      Causes().begin() + 1, Causes().end(),
      [](const CauseRow& a, const CauseRow& b) { return a.name < b.name; }));
}

TEST(CausesTest, TextsAreSentencesOfPlainCharacters) {
  for (const CauseRow& row : Causes()) {
    for (const absl::string_view text :
         {row.meaning, row.sign, row.cure, row.example}) {
      EXPECT_TRUE(text.size() > 20 && text.back() == '.') << row.name;
      EXPECT_TRUE(std::all_of(text.begin(), text.end(), [](char c) {
        return std::isprint(c);
      })) << text;
      EXPECT_EQ(text.find("  "), absl::string_view::npos) << text;
    }
  }
}

TEST(CausesTest, NoOtherNameIsACause) {
  EXPECT_EQ(FindCause("rang"), nullptr);
  EXPECT_EQ(FindCause(""), nullptr);
}

TEST(CausesTest, MistakesAreNoMatterOfDegree) {
  EXPECT_FALSE(IsMatterOfDegree(ErrorCause::kSwapped));
  EXPECT_FALSE(IsMatterOfDegree(ErrorCause::kUnbalancedInputs));
  EXPECT_TRUE(IsMatterOfDegree(ErrorCause::kRounding));
}

// A closer look at one does not make it a mistake.
TEST(CausesTest, WhatTellsMoreOfACauseIsAMatterOfDegreeToo) {
  for (const ErrorCause cause :
       {ErrorCause::kInputMismatch, ErrorCause::kOutlierChannel,
        ErrorCause::kRecurrentState, ErrorCause::kReducedRange,
        ErrorCause::kRescaled, ErrorCause::kTrainingMode,
        ErrorCause::kSharedScale, ErrorCause::kSharedWeight}) {
    EXPECT_TRUE(IsMatterOfDegree(cause)) << ErrorCauseName(cause);
  }
}

}  // namespace
}  // namespace ns
