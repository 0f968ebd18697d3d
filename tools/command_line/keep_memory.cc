#include "tools/command_line/keep_memory.h"

#include <malloc.h>

#include <limits>

namespace ns {

void KeepFreedMemory() {
  constexpr int kGigabyte = 1 << 30;
  mallopt(M_MMAP_THRESHOLD, kGigabyte);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
}

}  // namespace ns
