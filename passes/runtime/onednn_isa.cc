#include "passes/runtime/onednn_isa.h"

#include <torch/version.h>

#include <cstdlib>

namespace ns {

void AvoidFaultyOneDnnKernels() {
  if (TORCH_VERSION_MAJOR < 2) {
    constexpr int kKeepOther = 0;
    setenv("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_VNNI", kKeepOther);
  }
}

}  // namespace ns
