#include "ir/atomic_file.h"

#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status.h"
#include "tests/testing/temporary_file.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class WriteFileAtomicallyTest : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directory(folder_); }

  std::vector<std::string> Files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      names.push_back(entry.path().filename());
    }
    return names;
  }

  const std::string folder_ = TemporaryPath("folder");
  const std::string path_ = folder_ + "/file";
};

TEST_F(WriteFileAtomicallyTest, WritesContent) {
  NS_ASSERT_OK(WriteFileAtomically(path_, "one\ntwo"));
  EXPECT_EQ(ReadFile(path_), "one\ntwo");
}

TEST_F(WriteFileAtomicallyTest, WritesBytesAsTheyAre) {
  const std::string bytes("\0\r\n\xff", 4);
  NS_ASSERT_OK(WriteFileAtomically(path_, bytes));
  EXPECT_EQ(ReadFile(path_), bytes);
}

TEST_F(WriteFileAtomicallyTest, ReplacesFile) {
  WriteFile(path_, "a long old content");
  NS_ASSERT_OK(WriteFileAtomically(path_, "new"));
  EXPECT_EQ(ReadFile(path_), "new");
}

TEST_F(WriteFileAtomicallyTest, KeepsPipesAndDevices) {
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  EXPECT_THAT(std::string(WriteFileAtomically(path_, "new").message()),
              StartsWith(path_ + ": cannot write: is a device or a pipe"));
  EXPECT_TRUE(std::filesystem::is_fifo(path_));
  EXPECT_THAT(Files(), ElementsAre("file"));
}

TEST_F(WriteFileAtomicallyTest, LeavesNothingElse) {
  NS_ASSERT_OK(WriteFileAtomically(path_, "x"));
  EXPECT_THAT(Files(), ElementsAre("file"));
}

TEST_F(WriteFileAtomicallyTest, KeepsOldFileWhenWriterFails) {
  WriteFile(path_, "old");
  const absl::Status status =
      WriteFileAtomically(path_, [](const std::string& temporary) {
        WriteFile(temporary, "half");
        return absl::AbortedError("stopped");
      });
  EXPECT_EQ(status, absl::AbortedError("stopped"));
  EXPECT_EQ(ReadFile(path_), "old");
  EXPECT_THAT(Files(), ElementsAre("file"));
}

TEST_F(WriteFileAtomicallyTest, LeavesNothingWhenWriterOfNewFileFails) {
  EXPECT_FALSE(WriteFileAtomically(path_, [](const std::string&) {
                 return absl::AbortedError("stopped");
               }).ok());
  EXPECT_THAT(Files(), IsEmpty());
}

TEST_F(WriteFileAtomicallyTest, WriterSeesOldFileInPlace) {
  WriteFile(path_, "old");
  NS_ASSERT_OK(WriteFileAtomically(path_, [&](const std::string& temporary) {
    EXPECT_EQ(ReadFile(path_), "old");
    EXPECT_THAT(temporary, StartsWith(folder_));
    WriteFile(temporary, "new");
    return absl::OkStatus();
  }));
  EXPECT_EQ(ReadFile(path_), "new");
}

TEST_F(WriteFileAtomicallyTest, DoesNotCallWriterWithoutFolder) {
  const absl::Status status =
      WriteFileAtomically(folder_ + "/none/file", [](const std::string&) {
        ADD_FAILURE() << "called";
        return absl::OkStatus();
      });
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("/none/file: cannot write: No such file"));
}

TEST_F(WriteFileAtomicallyTest, FailsOnFolderAndLeavesIt) {
  std::filesystem::create_directory(path_);
  const absl::Status status = WriteFileAtomically(path_, "x");
  EXPECT_THAT(std::string(status.message()), StartsWith(path_ + ": "));
  EXPECT_TRUE(std::filesystem::is_directory(path_));
  EXPECT_THAT(Files(), ElementsAre("file"));
}

}  // namespace
}  // namespace ns
