#include "ns/quantization/report/tried_methods_text.h"

#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ns {
namespace {

using ::testing::HasSubstr;

TEST(TriedMethodsTextTest, TheLargestGainsComeFirst) {
  EXPECT_EQ(TriedMethodsText(
                {{"fc", "bias correction", 40.12, 40.33, ""},
                 {"conv2", "bias correction", 30, 29, "it gains nothing"},
                 {"conv1", "bias correction", 31, 36.2, ""}}),
            "\nbias correction kept in 2 of 3 layers, SQNR on batches held "
            "back:\n"
            "  conv1   31.0 -> 36.2 dB\n"
            "  fc      40.1 -> 40.3 dB\n"
            "not in 1, as it gains nothing: conv2\n");
}

TEST(TriedMethodsTextTest, EachMethodHasAParagraph) {
  EXPECT_EQ(
      TriedMethodsText({{"a", "x", 1, 0, "it is late"}, {"a", "y", 1, 2, ""}}),
      "\nx kept in 0 of 1 layer\nnot in 1, as it is late: a\n"
      "\ny kept in 1 of 1 layer, SQNR on batches held back:\n"
      "  a    1.0 -> 2.0 dB\n");
}

TEST(TriedMethodsTextTest, ExactLayersGainNothing) {
  constexpr double kExact = std::numeric_limits<double>::infinity();
  EXPECT_EQ(TriedMethodsText({{"a", "m", kExact, kExact, "it gains nothing"},
                              {"b", "m", 1, 2, ""},
                              {"c", "m", 1, kExact, ""}}),
            "\nm kept in 2 of 3 layers, SQNR on batches held back:\n"
            "  c    1.0 -> exact\n"
            "  b    1.0 -> 2.0 dB\n"
            "not in 1, as it gains nothing: a\n");
}

TEST(TriedMethodsTextTest, LongListsAreCut) {
  std::vector<TriedMethod> tried;
  for (int i = 0; i < 50; ++i) {
    tried.push_back({absl::StrCat("l", i), "m", 1, i < 25 ? 2.0 : 0.0,
                     i < 25 ? "" : "it gains nothing"});
  }
  const std::string text = TriedMethodsText(tried);
  EXPECT_THAT(text, HasSubstr("  and 5 more (see --json)\n"));
  EXPECT_THAT(text, HasSubstr("not in 25, as it gains nothing: l25, "));
  EXPECT_THAT(text, HasSubstr("l44 and 5 more\n"));
}

TEST(TriedMethodsTextTest, NothingTriedIsNoText) {
  EXPECT_EQ(TriedMethodsText({}), "");
}

}  // namespace
}  // namespace ns
