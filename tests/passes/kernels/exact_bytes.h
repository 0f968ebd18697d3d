// Allocates exactly the memory that a kernel may touch, for tests.
#ifndef TESTS_PASSES_KERNELS_EXACT_BYTES_H_
#define TESTS_PASSES_KERNELS_EXACT_BYTES_H_

#include <cstdint>
#include <memory>

namespace ns::kernels {

// Holds `size` bytes, not initialized, at the end of an allocation: the address
// sanitizer sees what is read or written behind them. They begin `offset` bytes
// after the start of the allocation, so that an odd offset leaves them
// unaligned.
class ExactBytes {
 public:
  explicit ExactBytes(int64_t size, int64_t offset = 1)
      : size_(size), offset_(offset), bytes_(new uint8_t[size + offset]) {}

  uint8_t* data() const { return bytes_.get() + offset_; }
  int64_t size() const { return size_; }

 private:
  int64_t size_;
  int64_t offset_;
  std::unique_ptr<uint8_t[]> bytes_;
};

}  // namespace ns::kernels

#endif  // TESTS_PASSES_KERNELS_EXACT_BYTES_H_
