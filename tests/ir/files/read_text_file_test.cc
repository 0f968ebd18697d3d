#include "ir/files/read_text_file.h"

#include <fstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::StartsWith;

constexpr TextFileKind kKind = {"recipe", "--emit", size_t{1} << 20};

std::string Written(const std::string& text) {
  std::string path = ::testing::TempDir() + "/read_text_file_test.txt";
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

TEST(ReadTextFileTest, ReturnsAllBytes) {
  const std::string text("a\r\n\0b", 5);
  EXPECT_EQ(OrThrow(ReadTextFile(Written(text), kKind)), text);
}

TEST(ReadTextFileTest, RefusesAFileThatIsTooLarge) {
  const std::string path = Written(std::string((1 << 20) + 1, 'a'));
  EXPECT_EQ(MessageOf(ReadTextFile(path, kKind)),
            path + ": is larger than 1 MiB, which no recipe is");
}

TEST(ReadTextFileTest, NamesWhatCannotBeRead) {
  EXPECT_THAT(MessageOf(ReadTextFile("/nowhere/a", kKind)),
              StartsWith("/nowhere/a: "));
  const std::string path = Written("");
  EXPECT_THAT(MessageOf(ReadTextFile(path, kKind)), StartsWith(path + ": "));
}

}  // namespace
}  // namespace ns
