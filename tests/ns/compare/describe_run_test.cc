#include "ns/compare/describe_run.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status.h"
#include "tests/testing/temporary_file.h"

namespace ns {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

TEST(DescribeRunTest, HashesWholeFiles) {
  // printf 'abc' | sha256sum
  const std::string small = TemporaryPath("small.bin");
  WriteFile(small, "abc");
  EXPECT_EQ(OrThrow(Sha256Of(small)),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  // head -c 3145728 /dev/zero | sha256sum
  const std::string large = TemporaryPath("large.bin");
  WriteFile(large, std::string(3 << 20, '\0'));
  EXPECT_EQ(OrThrow(Sha256Of(large)),
            "bbd05cf6097ac9b1f89ea29d2542c1b7b67ee46848393895f5a9e43fa1f621e5");
}

TEST(DescribeRunTest, FilesThatAreNotThereAreAnError) {
  EXPECT_THAT(std::string(Sha256Of("/nowhere/x").status().message()),
              HasSubstr("/nowhere/x"));
}

TEST(DescribeRunTest, DescribesProcessorEngineAndFiles) {
  const std::string file = TemporaryPath("model.pt");
  WriteFile(file, "abc");
  ComparisonResult result;
  ASSERT_TRUE(DescribeRun({file}, result).ok());
  EXPECT_THAT(result.processor, Not(IsEmpty()));
  EXPECT_THAT(result.engine,
              AnyOf("fbgemm", "x86", "onednn", "qnnpack", "noqengine"));
  ASSERT_THAT(result.files, SizeIs(1));
  EXPECT_EQ(result.files[0].path, file);
}

}  // namespace
}  // namespace ns
