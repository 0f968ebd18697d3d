#include "ir/files/file_writer.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status.h"
#include "tests/testing/temporary_file.h"

namespace ns {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(FileWriterTest, WritesOnePartBehindAnother) {
  const std::string path = TemporaryPath("file");
  WriteFile(path, "a long old content");
  FileWriter file(path);
  file.Write("one", 3);
  file.Write("two", 3);
  NS_EXPECT_OK(file.Close());
  EXPECT_EQ(file.size(), 6);
  EXPECT_EQ(ReadFile(path), "onetwo");
}

TEST(FileWriterTest, TellsAtTheEndWhatFailed) {
  // One that is found out when it is written, and one when it is closed.
  for (const size_t size : {size_t{10}, size_t{1} << 20}) {
    FileWriter file("/dev/full");
    file.Write(std::string(size, 'x').data(), size);
    file.Write("more", 4);
    EXPECT_THAT(
        std::string(file.Close().message()),
        AllOf(HasSubstr("No space left on device"), HasSubstr("make room")));
  }
}

TEST(FileWriterTest, TellsThatThereIsNoFolder) {
  FileWriter file("/no/such/folder/file");
  file.Write("x", 1);
  EXPECT_THAT(std::string(file.Close().message()),
              HasSubstr("cannot write: No such file"));
}

}  // namespace
}  // namespace ns
