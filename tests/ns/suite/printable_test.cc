#include "ns/suite/printable.h"

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
  EXPECT_EQ(Printable("\xC2"), "\xC2");  // cut short
}

}  // namespace
}  // namespace ns
