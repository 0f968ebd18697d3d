#include "passes/runtime/observers/values/value_kernels.h"
#include "passes/runtime/observers/values/value_loops.h"

namespace ns {
namespace {

struct Avx512 {};

}  // namespace

const ValueKernels& Avx512ValueKernels() {
  static constexpr ValueKernels kKernels = ValueLoops<Avx512>::Table("avx512");
  return kKernels;
}

}  // namespace ns
