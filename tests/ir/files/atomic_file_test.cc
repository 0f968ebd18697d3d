#include "ir/files/atomic_file.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

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
using ::testing::UnorderedElementsAre;

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

TEST_F(WriteFileAtomicallyTest, WritesThroughLinks) {
  std::filesystem::create_directory(folder_ + "/inner");
  std::filesystem::create_symlink("inner/link", path_);
  std::filesystem::create_symlink("target", folder_ + "/inner/link");
  // The target is not there yet, then it is.
  for (const char* content : {"new", "newer"}) {
    NS_ASSERT_OK(WriteFileAtomically(path_, content));
    EXPECT_TRUE(std::filesystem::is_symlink(path_));
    EXPECT_TRUE(std::filesystem::is_symlink(folder_ + "/inner/link"));
    EXPECT_EQ(ReadFile(folder_ + "/inner/target"), content);
  }
  EXPECT_THAT(Files(), UnorderedElementsAre("file", "inner"));
}

TEST_F(WriteFileAtomicallyTest, RefusesLinksThatGoRound) {
  std::filesystem::create_symlink("file", path_);
  EXPECT_THAT(std::string(WriteFileAtomically(path_, "x").message()),
              StartsWith(path_ + ": cannot write: "));
  EXPECT_THAT(Files(), ElementsAre("file"));
}

TEST_F(WriteFileAtomicallyTest, WritesSeveralFilesOrNone) {
  const auto write = [](const std::string& temporary) {
    WriteFile(temporary, "new");
    return absl::OkStatus();
  };
  const std::string other = folder_ + "/other";
  EXPECT_FALSE(WriteFilesAtomically({{path_, write},
                                     {other,
                                      [](const std::string&) {
                                        return absl::AbortedError("stopped");
                                      }}})
                   .ok());
  EXPECT_THAT(Files(), IsEmpty());
  NS_ASSERT_OK(WriteFilesAtomically({{path_, write}, {other, write}}));
  EXPECT_THAT(Files(), UnorderedElementsAre("file", "other"));
}

// A folder that appears while files are written makes the last step fail.
TEST_F(WriteFileAtomicallyTest, RestoresFilesWhenALaterOneCannotBeRenamed) {
  const auto write = [](const std::string& temporary) {
    WriteFile(temporary, "new");
    return absl::OkStatus();
  };
  WriteFile(path_, "old");
  const std::string fresh = folder_ + "/fresh";
  const std::string blocked = folder_ + "/blocked";
  const absl::Status status =
      WriteFilesAtomically({{path_, write},
                            {fresh, write},
                            {blocked, [&](const std::string& temporary) {
                               std::filesystem::create_directory(blocked);
                               return write(temporary);
                             }}});
  EXPECT_THAT(std::string(status.message()), StartsWith(blocked));
  EXPECT_EQ(ReadFile(path_), "old");
  EXPECT_THAT(Files(), UnorderedElementsAre("file", "blocked"));
}

// As of a process that was killed, with the same id in another container.
TEST_F(WriteFileAtomicallyTest, RestoresFilesBesideALeftoverOfTheSameId) {
  const auto write = [](const std::string& temporary) {
    WriteFile(temporary, "new");
    return absl::OkStatus();
  };
  WriteFile(path_, "old");
  WriteFile(path_ + ".old." + std::to_string(getpid()) + ".tmp", "leftover");
  const std::string blocked = folder_ + "/blocked";
  EXPECT_FALSE(WriteFilesAtomically({{path_, write},
                                     {blocked,
                                      [&](const std::string& temporary) {
                                        std::filesystem::create_directory(
                                            blocked);
                                        return write(temporary);
                                      }}})
                   .ok());
  EXPECT_EQ(ReadFile(path_), "old");
  EXPECT_THAT(Files(), UnorderedElementsAre("file", "blocked"));
}

// The id of a process that has ended.
pid_t EndedProcess() {
  const pid_t child = fork();
  if (child == 0) {
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  return child;
}

TEST_F(WriteFileAtomicallyTest, StaleTemporariesOfTheFileAreRemoved) {
  const std::string ended = std::to_string(EndedProcess());
  const std::vector<std::string> kept = {
      "file", "file." + std::to_string(getppid()) + ".tmp",
      "file2." + ended + ".tmp", "file." + ended, "file.x.tmp"};
  for (const std::string& name : kept) {
    WriteFile(folder_ + "/" + name, "");
  }
  WriteFile(path_ + "." + ended + ".tmp", "");
  WriteFile(path_ + ".old." + ended + ".tmp", "");
  RemoveStaleTemporaries(path_);
  EXPECT_THAT(Files(), testing::UnorderedElementsAreArray(kept));
}

// On a folder that two machines share, the ids of one mean nothing to the
// other.
TEST_F(WriteFileAtomicallyTest, TemporariesThatAreWrittenToStay) {
  const std::string foreign =
      path_ + "." + std::to_string(EndedProcess()) + ".tmp";
  NS_ASSERT_OK(WriteFileAtomically(path_, [&](const std::string& temporary) {
    std::filesystem::rename(temporary, foreign);
    RemoveStaleTemporaries(path_);
    EXPECT_TRUE(std::filesystem::exists(foreign));
    std::filesystem::rename(foreign, temporary);
    return absl::OkStatus();
  }));
}

TEST_F(WriteFileAtomicallyTest, TellsThatThereIsNoRoom) {
  WriteFile(path_, "old");
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit = {1000, 1000};
    setrlimit(RLIMIT_FSIZE, &limit);
    const std::string message(
        WriteFileAtomically(path_, std::string(100000, 'x')).message());
    _exit(message == path_ +
                         ": cannot write: File too large; make room, or "
                         "name a file elsewhere"
              ? 0
              : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(ReadFile(path_), "old");
  EXPECT_THAT(Files(), ElementsAre("file"));
}

}  // namespace
}  // namespace ns
