#include "passes/runtime/observers/values/value_kernels.h"

#include "passes/kernels/isa.h"
#include "passes/runtime/observers/values/value_loops.h"

namespace ns {
namespace {

struct Scalar {};

}  // namespace

const ValueKernels& ScalarValueKernels() {
  static constexpr ValueKernels kKernels = ValueLoops<Scalar>::Table("scalar");
  return kKernels;
}

const ValueKernels& ChosenValueKernels() {
  const kernels::Isa isa = kernels::ChosenIsa();
  if (isa >= kernels::Isa::kAvx512) {
    return Avx512ValueKernels();
  }
  return isa >= kernels::Isa::kAvx2 ? Avx2ValueKernels() : ScalarValueKernels();
}

}  // namespace ns
