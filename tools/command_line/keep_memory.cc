#include "tools/command_line/keep_memory.h"

#include <malloc.h>

#include <cstddef>
#include <limits>

namespace ns {

void KeepFreedMemory() {
  constexpr int kGigabyte = 1 << 30;
  mallopt(M_MMAP_THRESHOLD, kGigabyte);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
}

void ReturnFreedMemory() {
  constexpr size_t kMuch = size_t{1} << 29;
  const struct mallinfo2 held = mallinfo2();
  if (held.uordblks >= kMuch && held.fordblks > held.uordblks / 2) {
    malloc_trim(0);
  }
}

}  // namespace ns
