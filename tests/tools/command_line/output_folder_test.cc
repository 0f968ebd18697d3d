#include "tools/command_line/output_folder.h"

#include <filesystem>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status.h"
#include "tests/testing/temporary_file.h"

namespace ns {
namespace {

using ::testing::HasSubstr;

TEST(OutputFolderTest, MakesFoldersOnce) {
  const std::string folder = TemporaryPath("made") + "/inner";
  std::filesystem::remove_all(folder);
  EXPECT_TRUE(OrThrow(MakeOutputFolder(folder)));
  EXPECT_FALSE(OrThrow(MakeOutputFolder(folder)));
  EXPECT_TRUE(std::filesystem::is_directory(folder));
}

TEST(OutputFolderTest, FoldersThatCannotBeAreNamed) {
  const std::string file = TemporaryPath("file");
  WriteFile(file, "x");
  EXPECT_THAT(MessageOf(MakeOutputFolder(file)), HasSubstr("--out=" + file));
  EXPECT_THAT(MessageOf(MakeOutputFolder(file + "/inner")),
              HasSubstr("cannot make the folder"));
  EXPECT_THAT(MessageOf(MakeOutputFolder(std::string(5000, 'a'))),
              HasSubstr("cannot make the folder"));
}

}  // namespace
}  // namespace ns
