#include "tools/command_line/processors.h"

#include <sched.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ns {
namespace {

using ::testing::Eq;
using ::testing::Optional;

class ProcessorQuotaTest : public ::testing::Test {
 protected:
  ProcessorQuotaTest()
      : root_(std::string(::testing::TempDir()) + "/processor_quota_" +
              ::testing::UnitTest::GetInstance()->current_test_info()->name()) {
  }
  ~ProcessorQuotaTest() override { std::filesystem::remove_all(root_); }

  void Write(const std::string& path, const std::string& text) const {
    const std::filesystem::path file = root_ + "/" + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }

  const std::string root_;
};

TEST_F(ProcessorQuotaTest, IsThatOfTheGroup) {
  Write("docker/a/cpu.max", "150000 100000\n");
  EXPECT_THAT(ProcessorQuota("0::/docker/a\n", root_), Optional(Eq(1.5)));
  EXPECT_EQ(ProcessorQuota("0::/docker/b\n", root_), std::nullopt);
}

TEST_F(ProcessorQuotaTest, IsTheLeastOfTheGroupsAround) {
  Write("pod/cpu.max", "200000 100000\n");
  Write("pod/a/cpu.max", "max 100000\n");
  Write("pod/b/cpu.max", "300000 100000\n");
  EXPECT_THAT(ProcessorQuota("0::/pod/a\n", root_), Optional(Eq(2.0)));
  EXPECT_THAT(ProcessorQuota("0::/pod/b\n", root_), Optional(Eq(2.0)));
}

// A container sees its own group as the root, whatever its path on the host.
TEST_F(ProcessorQuotaTest, IsThatOfTheRootInAContainer) {
  Write("cpu.max", "50000 100000\n");
  EXPECT_THAT(ProcessorQuota("0::/kubepods/c\n", root_), Optional(Eq(0.5)));
  EXPECT_THAT(ProcessorQuota("0::/\n", root_), Optional(Eq(0.5)));
}

TEST_F(ProcessorQuotaTest, IsReadFromVersion1) {
  Write("cpu/docker/a/cpu.cfs_quota_us", "400000\n");
  Write("cpu/docker/a/cpu.cfs_period_us", "100000\n");
  Write("memory/docker/a/cpu.cfs_quota_us", "100000\n");
  Write("memory/docker/a/cpu.cfs_period_us", "100000\n");
  const std::string memberships =
      "5:memory:/docker/a\n4:cpu,cpuacct:/docker/a\n";
  EXPECT_THAT(ProcessorQuota(memberships, root_), Optional(Eq(4.0)));
  Write("cpu/docker/a/cpu.cfs_quota_us", "-1\n");
  EXPECT_EQ(ProcessorQuota(memberships, root_), std::nullopt);
}

TEST_F(ProcessorQuotaTest, IsNoneWhereFilesHaveOtherText) {
  Write("cpu.max", "100000\n");
  EXPECT_EQ(ProcessorQuota("0::/\n", root_), std::nullopt);
  Write("cpu.max", "many 100000\n");
  EXPECT_EQ(ProcessorQuota("0::/\n", root_), std::nullopt);
  EXPECT_EQ(ProcessorQuota("", root_), std::nullopt);
  EXPECT_EQ(ProcessorQuota("a line of no group", root_), std::nullopt);
}

TEST(AvailableProcessorsTest, IsAtMostWhatTheAffinityAllows) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
  EXPECT_LE(AvailableProcessors(), CPU_COUNT(&before));
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int i = 0; CPU_COUNT(&one) == 0; ++i) {
    if (CPU_ISSET(i, &before)) {
      CPU_SET(i, &one);
    }
  }
  ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
  EXPECT_EQ(AvailableProcessors(), 1);
  sched_setaffinity(0, sizeof(before), &before);
}

}  // namespace
}  // namespace ns
