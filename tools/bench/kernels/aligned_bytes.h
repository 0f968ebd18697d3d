// Allocates memory that starts at a cache line, as the memory of LibTorch's
// tensors does.
#ifndef TOOLS_BENCH_KERNELS_ALIGNED_BYTES_H_
#define TOOLS_BENCH_KERNELS_ALIGNED_BYTES_H_

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace ns::bench {

// Returns memory for `bytes` bytes, at least 1, all set to `value`. Since they
// are written here, a benchmark does not wait for the system to map the pages.
inline std::shared_ptr<uint8_t> AlignedBytes(int64_t bytes, int value = 0) {
  constexpr int64_t kLine = 64;
  const int64_t whole = (bytes + kLine - 1) / kLine * kLine;
  std::shared_ptr<uint8_t> data(
      static_cast<uint8_t*>(std::aligned_alloc(kLine, whole)), std::free);
  std::memset(data.get(), value, whole);
  return data;
}

}  // namespace ns::bench

#endif  // TOOLS_BENCH_KERNELS_ALIGNED_BYTES_H_
