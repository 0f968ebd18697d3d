#include "passes/kernels/elementwise/clamp.h"

#include "passes/kernels/elementwise/for_pieces.h"
#include "passes/kernels/elementwise/kernels.h"

namespace ns::kernels {

void ClampValues(const uint8_t* quantized, int64_t count, uint8_t min,
                 uint8_t max, uint8_t* out, Parallel parallel) {
  const auto clamp = ChosenElementwiseKernels().clamp_u8;
  ForPieces(count, parallel, [&](int64_t begin, int64_t size) {
    clamp(quantized + begin, size, min, max, out + begin);
  });
}

void ClampValues(const int8_t* quantized, int64_t count, int8_t min, int8_t max,
                 int8_t* out, Parallel parallel) {
  const auto clamp = ChosenElementwiseKernels().clamp_s8;
  ForPieces(count, parallel, [&](int64_t begin, int64_t size) {
    clamp(quantized + begin, size, min, max, out + begin);
  });
}

}  // namespace ns::kernels
