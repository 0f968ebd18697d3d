#include "passes/runtime/marking_allocator.h"

#include <ATen/Functions.h>

#include <cstdint>

#include "gtest/gtest.h"

namespace ns {
namespace {

// Writes `value` `offset` bytes behind the start of a tensor of 10 bytes, and
// returns how many blocks have lost marks by that.
int64_t MarksLost(int64_t offset, uint8_t value) {
  MarkTensorMemory();
  const int64_t before = OverwrittenMarks();
  {
    const at::Tensor tensor = at::zeros({10}, at::kByte);
    static_cast<uint8_t*>(tensor.data_ptr())[offset] = value;
  }
  return OverwrittenMarks() - before;
}

TEST(MarkingAllocatorTest, WritesInsideATensorAreFine) {
  EXPECT_EQ(MarksLost(0, 1), 0);
  EXPECT_EQ(MarksLost(9, 255), 0);
}

TEST(MarkingAllocatorTest, WritesBehindATensorAreSeen) {
  EXPECT_EQ(MarksLost(10, 1), 1);
  EXPECT_EQ(MarksLost(16000, 1), 1);
}

}  // namespace
}  // namespace ns
