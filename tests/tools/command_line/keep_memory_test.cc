#include "tools/command_line/keep_memory.h"

#include <malloc.h>

#include <cstddef>
#include <memory>

#include "gtest/gtest.h"

namespace ns {
namespace {

TEST(KeepMemoryTest, LargeBlocksAreNotMappedOneByOne) {
  constexpr size_t kSize = size_t{64} << 20;
  KeepFreedMemory();
  // Libraries may have mapped blocks when they were loaded.
  const size_t before = mallinfo2().hblks;
  const auto block = std::make_unique<char[]>(kSize);
  EXPECT_EQ(mallinfo2().hblks, before);
}

TEST(KeepMemoryTest, WhatIsFreedStays) {
  constexpr size_t kSize = size_t{64} << 20;
  KeepFreedMemory();
  auto block = std::make_unique<char[]>(kSize);
  const size_t held = mallinfo2().arena;
  block.reset();
  EXPECT_EQ(mallinfo2().arena, held);
}

}  // namespace
}  // namespace ns
