#include "ns/batches/batch_memory.h"

#include <cstdint>
#include <cstring>

#include "gtest/gtest.h"

namespace ns {
namespace {

// What LibTorch aligns its own memory to.
constexpr uintptr_t kAlignment = 64;

TEST(BatchMemoryTest, IsAlignedAndWritableWhateverItsSize) {
  for (const size_t bytes : {size_t{1}, size_t{63}, size_t{4096}, size_t{4097},
                             size_t{1} << 20, (size_t{1} << 25) + 1}) {
    const at::DataPtr data = AllocateBatchMemory(bytes);
    ASSERT_NE(data.get(), nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(data.get()) % kAlignment, 0) << bytes;
    std::memset(data.get(), 7, bytes);
    EXPECT_EQ(static_cast<const char*>(data.get())[bytes - 1], 7);
    EXPECT_TRUE(data.device().is_cpu());
  }
}

}  // namespace
}  // namespace ns
