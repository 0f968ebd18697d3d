#include "passes/runtime/onednn_isa.h"

#include <torch/version.h>

#include <cstdlib>

namespace ns {

void AvoidFaultyOneDnnKernels() {
  // oneDNN's older name for the variable, which it still reads.
  const bool has_old_name = std::getenv("DNNL_MAX_CPU_ISA") != nullptr;
  if (TORCH_VERSION_MAJOR < 2 && !has_old_name) {
    constexpr int kKeepOther = 0;
    setenv("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_VNNI", kKeepOther);
  }
}

}  // namespace ns
