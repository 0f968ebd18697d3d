#include "passes/lowering/kernels/normalization/layer_norm.h"

namespace ns::kernels {

void LayerNorm(const uint8_t* input, int64_t rows, int64_t n,
               const LayerNormSpec& spec, uint8_t* out, Parallel /*parallel*/) {
  LayerNormReference(input, rows, n, spec, out);
}

}  // namespace ns::kernels
