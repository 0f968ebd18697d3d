#include "passes/runtime/onednn_faults.h"

#include <torch/version.h>

#include <cstdlib>
#include <vector>

namespace ns {
namespace {

// The variables that AvoidOneDnnFaults has set.
std::vector<const char*>& SetVariables() {
  static auto* const names = new std::vector<const char*>();
  return *names;
}

void SetUnlessSet(const char* name, const char* value) {
  if (std::getenv(name) == nullptr) {
    setenv(name, value, /*replace=*/1);
    SetVariables().push_back(name);
  }
}

}  // namespace

void AvoidOneDnnFaults() {
  if (TORCH_VERSION_MAJOR >= 2) {
    return;
  }
  // oneDNN's older name for the variable, which it still reads.
  if (std::getenv("DNNL_MAX_CPU_ISA") == nullptr) {
    SetUnlessSet("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_VNNI");
  }
  SetUnlessSet("LRU_CACHE_CAPACITY", "1");
}

void AllowOneDnnFaults() {
  for (const char* name : SetVariables()) {
    unsetenv(name);
  }
  SetVariables().clear();
}

}  // namespace ns
