#include "ns/result/printable.h"

#include <string>

#include "gtest/gtest.h"

namespace ns {
namespace {

using namespace std::string_literals;

TEST(PrintableTest, EscapesControlCharacters) {
  EXPECT_EQ(Printable("\x1b[31mred"), "\\x1b[31mred");
  EXPECT_EQ(Printable("a\tb\r\n\x7F"), "a\\x09b\\x0d\\x0a\\x7f");
  EXPECT_EQ(Printable("\u009B[31m\u0080"), "\\x9b[31m\\x80");
}

TEST(PrintableTest, KeepsNamesApart) {
  EXPECT_EQ(Printable("a\0b"s), "a\\x00b");
  EXPECT_NE(Printable("a\0b"s), Printable("a\1b"s));
}

TEST(PrintableTest, KeepsEverythingElse) {
  EXPECT_EQ(Printable(""), "");
  EXPECT_EQ(Printable("größe █ \u00A0 a\\b $(id)"),
            "größe █ \u00A0 a\\b $(id)");
}

TEST(PrintableTest, EscapesMarksOfDirection) {
  EXPECT_EQ(Printable("a\u202Eb\u2066c\u200F"), "a\\u202eb\\u2066c\\u200f");
  EXPECT_EQ(Printable("a\u2028b"), "a\\u2028b");
}

TEST(PrintableTest, EscapesBytesThatAreNoUtf8) {
  EXPECT_EQ(Printable("\xC2"), "\\xc2");  // cut short
  EXPECT_EQ(Printable("a\xFFz"), "a\\xffz");
  EXPECT_EQ(Printable("\xC0\xAF"), "\\xc0\\xaf");           // too long
  EXPECT_EQ(Printable("\xED\xA0\x80"), "\\xed\\xa0\\x80");  // a surrogate
  EXPECT_EQ(Printable("\xF4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
}

}  // namespace
}  // namespace ns
