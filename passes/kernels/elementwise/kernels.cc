#include "passes/kernels/elementwise/kernels.h"

#include "passes/kernels/isa.h"

namespace ns::kernels {
namespace {

// Processors with VNNI that lack it are few, and old.
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
  switch (ChosenIsa()) {
    case Isa::kScalar:
      return kScalarElementwise;
    case Isa::kAvx2:
    case Isa::kAvxVnni:
      return kAvx2Elementwise;
    case Isa::kAvx512:
      return kAvx512Elementwise;
    case Isa::kAvx512Vnni:
    case Isa::kAmx:
      return Avx512VnniElementwise();
  }
  return kScalarElementwise;
}

}  // namespace ns::kernels
