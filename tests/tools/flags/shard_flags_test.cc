#include "tools/flags/shard_flags.h"

#include <map>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

using Variables = std::map<std::string, std::string>;

absl::StatusOr<Shard> Parse(const std::string& text,
                            const Variables& variables = {}) {
  return ParseShard(text, [&](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

void ExpectShard(const absl::StatusOr<Shard>& shard, int64_t index,
                 int64_t count) {
  NS_ASSERT_OK(shard.status());
  EXPECT_EQ(shard->index, index);
  EXPECT_EQ(shard->count, count);
}

TEST(ShardFlagsTest, ReadsNumbers) {
  ExpectShard(Parse("0/1"), 0, 1);
  ExpectShard(Parse("7/8"), 7, 8);
  EXPECT_THAT(MessageOf(Parse("8/8")), HasSubstr("numbered from 0 to 7"));
  for (const char* wrong : {"", "3", "a/8", "3/b", "-1/8", "0/0", "3/8/2",
                            "auto/", "autos", "0/1000001"}) {
    EXPECT_THAT(MessageOf(Parse(wrong)), HasSubstr("--shard")) << wrong;
  }
}

TEST(ShardFlagsTest, AutoReadsEveryEngine) {
  ExpectShard(Parse("auto", {{"RANK", "3"}, {"WORLD_SIZE", "4"}}), 3, 4);
  ExpectShard(Parse("auto", {{"OMPI_COMM_WORLD_RANK", "1"},
                             {"OMPI_COMM_WORLD_SIZE", "2"}}),
              1, 2);
  ExpectShard(Parse("auto", {{"PMI_RANK", "0"}, {"PMI_SIZE", "2"}}), 0, 2);
  ExpectShard(Parse("auto", {{"SLURM_PROCID", "5"}, {"SLURM_NTASKS", "6"}}), 5,
              6);
  ExpectShard(Parse("auto/9", {{"JOB_COMPLETION_INDEX", "8"}}), 8, 9);
}

TEST(ShardFlagsTest, AutoReadsSlurmArraysThatStartElsewhere) {
  Variables variables = {{"SLURM_ARRAY_TASK_ID", "11"},
                         {"SLURM_ARRAY_TASK_MIN", "5"},
                         {"SLURM_ARRAY_TASK_STEP", "3"},
                         {"SLURM_ARRAY_TASK_COUNT", "4"},
                         // Set in each job.
                         {"SLURM_PROCID", "0"},
                         {"SLURM_NTASKS", "1"}};
  ExpectShard(Parse("auto", variables), 2, 4);
  variables["SLURM_ARRAY_TASK_ID"] = "12";
  EXPECT_THAT(MessageOf(Parse("auto", variables)),
              HasSubstr("is not one of 5, 8, ..."));
}

TEST(ShardFlagsTest, AutoNamesWhatItLookedFor) {
  EXPECT_THAT(
      MessageOf(Parse("auto")),
      AllOf(HasSubstr("SLURM_ARRAY_TASK_ID"), HasSubstr("JOB_COMPLETION_INDEX"),
            HasSubstr("RANK"), HasSubstr("OMPI_COMM_WORLD_RANK"),
            HasSubstr("PMI_RANK"), HasSubstr("SLURM_PROCID")));
  EXPECT_THAT(MessageOf(Parse("auto", {{"JOB_COMPLETION_INDEX", "1"}})),
              HasSubstr("--shard=auto/N"));
  EXPECT_THAT(MessageOf(Parse("auto/2", {{"JOB_COMPLETION_INDEX", "2"}})),
              HasSubstr("no shard 2 of 2"));
  EXPECT_THAT(MessageOf(Parse("auto", {{"RANK", "x"}, {"WORLD_SIZE", "2"}})),
              HasSubstr("RANK=x"));
}

}  // namespace
}  // namespace ns
