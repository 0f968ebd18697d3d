#include "ns/result/shell_word.h"

#include "gtest/gtest.h"

namespace ns {
namespace {

TEST(ShellWordTest, PlainPathsStay) {
  EXPECT_EQ(ShellWord("../a-b_1.2/repro.py"), "../a-b_1.2/repro.py");
}

TEST(ShellWordTest, WhatAShellReadsIsQuoted) {
  EXPECT_EQ(ShellWord("a b"), "'a b'");
  EXPECT_EQ(ShellWord("$(x)"), "'$(x)'");
  EXPECT_EQ(ShellWord("~/x"), "'~/x'");
  EXPECT_EQ(ShellWord("it's"), "'it'\\''s'");
  EXPECT_EQ(ShellWord("größe"), "'größe'");
  EXPECT_EQ(ShellWord(""), "''");
}

TEST(ShellWordTest, ANameIsNoOption) {
  EXPECT_EQ(ShellWord("-c"), "./-c");
  EXPECT_EQ(ShellWord("-c x"), "'./-c x'");
}

TEST(ShellWordTest, WhatIsNotPrintedIsEscaped) {
  EXPECT_EQ(ShellWord("a\nb's\\"), "$'a\\012b\\'s\\\\'");
  EXPECT_EQ(ShellWord("a\xFF"
                      "1"),
            "$'a\\3771'");
  EXPECT_EQ(ShellWord("a\u202E"), "$'a\\342\\200\\256'");
}

}  // namespace
}  // namespace ns
