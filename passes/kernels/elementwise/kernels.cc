#include "passes/kernels/elementwise/kernels.h"

#include "passes/kernels/isa.h"

namespace ns::kernels {
namespace {

// Processors with VNNI that lack VBMI are few, and old.
const ElementwiseKernels& Avx512VnniElementwise() {
  static const ElementwiseKernels kKernels = [] {
    ElementwiseKernels chosen = kAvx512Elementwise;
    if (__builtin_cpu_supports("avx512vbmi")) {
      chosen.look_up = LookUpVbmi;
    }
    return chosen;
  }();
  return kKernels;
}

}  // namespace

const ElementwiseKernels& ChosenElementwiseKernels() {
  static const IsaTable<const ElementwiseKernels*> kKernels = {
      {Isa::kScalar, &kScalarElementwise},
      {Isa::kAvx2, &kAvx2Elementwise},
      {Isa::kAvx512, &kAvx512Elementwise},
      {Isa::kAvx512Vnni, &Avx512VnniElementwise()},
  };
  return *kKernels.Chosen();
}

}  // namespace ns::kernels
