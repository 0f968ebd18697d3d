#include "ns/shards/shard.h"

#include <cstdint>
#include <vector>

#include "gtest/gtest.h"

namespace ns {
namespace {

TEST(ShardTest, EachBatchBelongsToOneShard) {
  for (int64_t batches = 0; batches < 20; ++batches) {
    for (int64_t count = 1; count < 25; ++count) {
      std::vector<int> seen(static_cast<size_t>(batches));
      for (int64_t index = 0; index < count; ++index) {
        const Shard shard = {index, count};
        for (int64_t i = 0; i < shard.Size(batches); ++i) {
          EXPECT_EQ(shard.BatchAt(i) % count, index);
          ++seen.at(static_cast<size_t>(shard.BatchAt(i)));
        }
      }
      EXPECT_EQ(seen, std::vector<int>(static_cast<size_t>(batches), 1));
    }
  }
}

}  // namespace
}  // namespace ns
