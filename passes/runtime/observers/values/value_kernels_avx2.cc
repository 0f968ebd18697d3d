#include "passes/runtime/observers/values/value_kernels.h"
#include "passes/runtime/observers/values/value_loops.h"

namespace ns {
namespace {

struct Avx2 {};

}  // namespace

const ValueKernels& Avx2ValueKernels() {
  static constexpr ValueKernels kKernels = ValueLoops<Avx2>::Table("avx2");
  return kKernels;
}

}  // namespace ns
