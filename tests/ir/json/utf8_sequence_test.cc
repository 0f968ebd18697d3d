#include "ir/json/utf8_sequence.h"

#include "gtest/gtest.h"

namespace ns {
namespace {

TEST(Utf8SequenceTest, TellsTheLengthOfTheFirstCharacter) {
  EXPECT_EQ(Utf8SequenceLength("ab"), 1U);
  EXPECT_EQ(Utf8SequenceLength("\u00e9a"), 2U);
  EXPECT_EQ(Utf8SequenceLength("\u20ac"), 3U);
  EXPECT_EQ(Utf8SequenceLength("\U0001F600"), 4U);
}

TEST(Utf8SequenceTest, RefusesWhatIsNoSequence) {
  for (const char* text :
       {"\x80", "\xff", "\xc3", "\xc0\x80", "\xe2\x82", "\xed\xa0\x80",
        "\xf4\x90\x80\x80", "\xf0\x80\x80\x80"}) {
    EXPECT_EQ(Utf8SequenceLength(text), 0U) << text;
  }
}

}  // namespace
}  // namespace ns
