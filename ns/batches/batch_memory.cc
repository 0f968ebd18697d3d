#include "ns/batches/batch_memory.h"

#include <c10/core/CPUAllocator.h>
#include <sys/mman.h>

#include <memory>
#include <new>

namespace ns {
namespace {

// Below this size, holes do not matter, and whole pages would be wasted.
constexpr size_t kLeastPagesBytes = size_t{1} << 20;

// Owns pages that the system allocated.
class Pages {
 public:
  explicit Pages(size_t bytes)
      : bytes_(bytes),
        start_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    if (start_ == MAP_FAILED) {
      throw std::bad_alloc();
    }
  }
  ~Pages() { munmap(start_, bytes_); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

  void* start() const { return start_; }

  static void Delete(void* pages) { delete static_cast<Pages*>(pages); }

 private:
  const size_t bytes_;
  void* const start_;
};

}  // namespace

at::DataPtr AllocateBatchMemory(size_t bytes) {
  if (bytes < kLeastPagesBytes) {
    return c10::GetCPUAllocator()->allocate(bytes);
  }
  auto pages = std::make_unique<Pages>(bytes);
  void* const start = pages->start();
  return {start, pages.release(), &Pages::Delete, at::kCPU};
}

}  // namespace ns
