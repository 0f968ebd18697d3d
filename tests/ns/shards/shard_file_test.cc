#include "ns/shards/shard_file.h"

#include <fstream>
#include <random>
#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

ShardHeader Header() {
  ShardHeader header;
  header.arguments = {"--float=f.pt", "--parts"};
  header.properties = {{"the float model", "sha256 1"}, {"LibTorch", "1.13.1"}};
  header.engine = "onednn";
  header.threads = 2;
  header.shard = {1, 3};
  header.batches = 8;
  header.done = 3;
  return header;
}

std::string Written(const std::string& bytes) {
  const std::string path = ::testing::TempDir() + "/a.shard";
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

TEST(ShardFileTest, ReadsWhatWasWritten) {
  const std::string path = Written(ShardFileBytes(Header(), "state"));
  const ShardFile file = OrThrow(ReadShardFile(path));
  EXPECT_EQ(file.state, "state");
  EXPECT_THAT(file.header.arguments, ElementsAre("--float=f.pt", "--parts"));
  EXPECT_EQ(file.header.properties[1].value, "1.13.1");
  EXPECT_EQ(file.header.shard.index, 1);
  EXPECT_TRUE(file.header.IsComplete());
  NS_EXPECT_OK(CheckSameRun(file.header, path, Header(), "b"));
}

TEST(ShardFileTest, RefusesEveryMutant) {
  const std::string bytes = ShardFileBytes(Header(), std::string(300, 's'));
  std::mt19937 random(1);
  for (int i = 0; i < 1000; ++i) {
    std::string mutant = bytes;
    switch (i % 4) {
      case 0:
        mutant.resize(random() % bytes.size());
        break;
      case 1:
        mutant[random() % bytes.size()] ^=
            static_cast<char>(1 + random() % 255);
        break;
      case 2:
        mutant.insert(random() % bytes.size(), 1, static_cast<char>(random()));
        break;
      default:
        std::swap(mutant[random() % bytes.size()],
                  mutant[random() % bytes.size()]);
    }
    if (mutant == bytes) {
      continue;
    }
    const std::string path = Written(mutant);
    EXPECT_THAT(MessageOf(ReadShardFile(path)), StartsWith(path + ": "));
  }
}

TEST(ShardFileTest, NamesOtherFilesAndVersions) {
  EXPECT_THAT(MessageOf(ReadShardFile(Written("{}"))),
              HasSubstr("is not a shard file"));
  EXPECT_THAT(MessageOf(ReadShardFile("/nowhere.shard")),
              HasSubstr("/nowhere.shard"));
}

TEST(ShardFileTest, NamesWhatDiffers) {
  const auto message = [](void (*change)(ShardHeader&)) {
    ShardHeader other = Header();
    change(other);
    const absl::Status status = CheckSameRun(Header(), "a", other, "b");
    return std::string(status.message());
  };
  EXPECT_THAT(message([](ShardHeader& h) { h.arguments.pop_back(); }),
              AllOf(StartsWith("a: is of another run than b: the flags"),
                    HasSubstr("--parts")));
  EXPECT_THAT(message([](ShardHeader& h) { h.properties[0].value = "x"; }),
              HasSubstr("the float model: sha256 1, and there x"));
  EXPECT_THAT(message([](ShardHeader& h) { h.properties.pop_back(); }),
              HasSubstr("LibTorch: 1.13.1, and there none"));
  EXPECT_THAT(message([](ShardHeader& h) { h.shard.count = 4; }),
              HasSubstr("the number of shards: 3, and there 4"));
  EXPECT_THAT(message([](ShardHeader& h) { h.batches = 9; }),
              HasSubstr("the number of batches"));
  EXPECT_THAT(message([](ShardHeader& h) { h.for_html = true; }),
              HasSubstr("--html"));
  EXPECT_THAT(message([](ShardHeader& h) { h.threads = 4; }),
              HasSubstr("--threads=N"));
  EXPECT_THAT(message([](ShardHeader& h) { h.engine = "qnnpack"; }),
              HasSubstr("the engine: onednn, and there qnnpack"));
  EXPECT_EQ(message([](ShardHeader& h) { h.shard.index = 2; }), "");
}

TEST(ShardFileTest, ShardWithoutBatchesHasNoEngine) {
  ShardHeader empty = Header();
  empty.done = 0;
  empty.engine = "qnnpack";
  NS_EXPECT_OK(CheckSameRun(Header(), "a", empty, "b"));
}

}  // namespace
}  // namespace ns
