#include "ir/files/input_file.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status.h"
#include "tests/testing/temporary_file.h"

namespace ns {
namespace {

using testing::StartsWith;

std::string ReadAt(const InputFile& file, uint64_t position, size_t count) {
  std::string bytes(count, '?');
  bytes.resize(file.ReadAt(position, bytes.data(), count));
  return bytes;
}

TEST(InputFileTest, ReadsParts) {
  const std::string path = TemporaryPath("file");
  WriteFile(path, "0123456789");
  const auto file = OrThrow(InputFile::Open(path));
  EXPECT_EQ(file->size(), 10);
  EXPECT_EQ(ReadAt(*file, 3, 4), "3456");
  EXPECT_EQ(ReadAt(*file, 8, 4), "89");
  EXPECT_EQ(ReadAt(*file, 10, 4), "");
  EXPECT_EQ(ReadAt(*file, ~uint64_t{0}, 4), "");
}

TEST(InputFileTest, SaysWhatCannotBeRead) {
  EXPECT_THAT(MessageOf(InputFile::Open("no/such/file")),
              StartsWith("cannot open: No such file"));
  EXPECT_THAT(MessageOf(InputFile::Open(testing::TempDir())),
              StartsWith("is a folder"));
  EXPECT_THAT(MessageOf(InputFile::Open("/dev/null")),
              StartsWith("is a pipe or a device"));
  const std::string path = TemporaryPath("file");
  WriteFile(path, "");
  EXPECT_EQ(MessageOf(InputFile::Open(path)), "is empty");
}

TEST(InputFileTest, TellsFilesApart) {
  const std::string path = TemporaryPath("file");
  WriteFile(path, "content");
  const auto first = OrThrow(InputFile::Open(path));
  EXPECT_EQ(first->identity(), OrThrow(InputFile::Open(path))->identity());
  EXPECT_FALSE(first->HasChanged());

  const std::string copy = TemporaryPath("copy");
  WriteFile(copy, "content");
  EXPECT_NE(first->identity(), OrThrow(InputFile::Open(copy))->identity());

  std::filesystem::resize_file(path, 3);
  EXPECT_TRUE(first->HasChanged());
  EXPECT_NE(first->identity(), OrThrow(InputFile::Open(path))->identity());
}

}  // namespace
}  // namespace ns
