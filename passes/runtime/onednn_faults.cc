#include "passes/runtime/onednn_faults.h"

#include <torch/version.h>

#include <cstdlib>

namespace ns {

void AvoidOneDnnFaults() {
  if (TORCH_VERSION_MAJOR >= 2) {
    return;
  }
  constexpr int kKeepOther = 0;
  // oneDNN's older name for the variable, which it still reads.
  if (std::getenv("DNNL_MAX_CPU_ISA") == nullptr) {
    setenv("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_VNNI", kKeepOther);
  }
  setenv("LRU_CACHE_CAPACITY", "1", kKeepOther);
}

}  // namespace ns
