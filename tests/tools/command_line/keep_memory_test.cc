#include "tools/command_line/keep_memory.h"

#include <malloc.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <fstream>
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

size_t ResidentBytes() {
  size_t pages = 0;
  size_t resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  return resident * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

TEST(KeepMemoryTest, MuchFreeMemoryGoesBack) {
  KeepFreedMemory();
  constexpr size_t kFreed = size_t{400} << 20;
  // It counts as used, and is never touched.
  const std::unique_ptr<char[]> used(new char[size_t{600} << 20]);
  std::unique_ptr<char[]> freed(new char[kFreed]);
  std::memset(freed.get(), 1, kFreed);
  const std::unique_ptr<char[]> after(new char[1 << 20]);
  freed.reset();
  const size_t before = ResidentBytes();
  ReturnFreedMemory();
  EXPECT_LT(ResidentBytes() + kFreed / 2, before);
}

TEST(KeepMemoryTest, ASmallProcessKeepsWhatItFreed) {
  KeepFreedMemory();
  constexpr size_t kFreed = size_t{64} << 20;
  std::unique_ptr<char[]> freed(new char[kFreed]);
  std::memset(freed.get(), 1, kFreed);
  freed.reset();
  const size_t before = ResidentBytes();
  ReturnFreedMemory();
  EXPECT_GT(ResidentBytes() + kFreed / 2, before);
}

}  // namespace
}  // namespace ns
