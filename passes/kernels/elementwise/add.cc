#include "passes/kernels/elementwise/add.h"

#include <algorithm>
#include <cmath>

#include "passes/kernels/elementwise/cannot_overflow.h"
#include "passes/kernels/elementwise/for_pieces.h"
#include "passes/kernels/elementwise/kernels.h"

namespace ns::kernels {
namespace {

// The greatest magnitude of an operand: values are monotonic in the quantized
// value.
float GreatestMagnitude(QParams qparams) {
  const float zero = qparams.scale * -static_cast<float>(qparams.zero_point);
  return std::max(std::abs(zero),
                  std::abs(std::fma(qparams.scale, 255.0f, zero)));
}

}  // namespace

void Add(QuantizedOperand a, QuantizedOperand b, int64_t count, bool relu,
         QParams out_qparams, uint8_t* out, Parallel parallel) {
  const auto add = ChosenElementwiseKernels().add;
  const float greatest =
      GreatestMagnitude(a.qparams) + GreatestMagnitude(b.qparams);
  const bool cannot_overflow =
      CannotOverflow(greatest * (1.0f / out_qparams.scale), out_qparams);
  ForPieces(count, parallel, [&](int64_t begin, int64_t size) {
    add({a.data + begin, a.qparams}, {b.data + begin, b.qparams}, size, relu,
        out_qparams, cannot_overflow, out + begin);
  });
}

void AddQuantize(const float* a, QuantizedOperand b, int64_t count, bool relu,
                 QParams out_qparams, uint8_t* out, Parallel parallel) {
  const auto add = ChosenElementwiseKernels().add_floats;
  ForPieces(count, parallel, [&](int64_t begin, int64_t size) {
    add(a + begin, {b.data + begin, b.qparams}, size, relu, out_qparams,
        out + begin);
  });
}

}  // namespace ns::kernels
