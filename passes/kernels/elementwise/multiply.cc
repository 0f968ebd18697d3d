#include "passes/kernels/elementwise/multiply.h"

#include <cmath>

#include "passes/kernels/elementwise/cannot_overflow.h"
#include "passes/kernels/elementwise/for_pieces.h"
#include "passes/kernels/elementwise/kernels.h"

namespace ns::kernels {

void Multiply(QuantizedOperand a, QuantizedOperand b, int64_t count, bool relu,
              QParams out_qparams, uint8_t* out, Parallel parallel) {
  const auto multiply = ChosenElementwiseKernels().multiply;
  const float multiplier =
      a.qparams.scale * b.qparams.scale * (1.0f / out_qparams.scale);
  const bool cannot_overflow =
      CannotOverflow(255.0f * 255.0f * std::abs(multiplier), out_qparams);
  ForPieces(count, parallel, [&](int64_t begin, int64_t size) {
    multiply({a.data + begin, a.qparams}, {b.data + begin, b.qparams}, size,
             relu, out_qparams, cannot_overflow, out + begin);
  });
}

}  // namespace ns::kernels
