// Clamps quantized values: relu, relu6, hardtanh and clamp.
#ifndef PASSES_KERNELS_ELEMENTWISE_CLAMP_H_
#define PASSES_KERNELS_ELEMENTWISE_CLAMP_H_

#include <cstdint>

#include "passes/kernels/parallel.h"

namespace ns::kernels {

// out[i] = min(max(quantized[i], min), max), also if `max` is less than `min`.
// relu has the zero point as `min`, and 255. `out` may be `quantized`.
void ClampValues(const uint8_t* quantized, int64_t count, uint8_t min,
                 uint8_t max, uint8_t* out, Parallel parallel);
void ClampValues(const int8_t* quantized, int64_t count, int8_t min, int8_t max,
                 int8_t* out, Parallel parallel);

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_ELEMENTWISE_CLAMP_H_
