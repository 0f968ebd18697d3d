// Requantizes: turns quantized values into those of other qparams.
#ifndef PASSES_KERNELS_ELEMENTWISE_REQUANTIZE_H_
#define PASSES_KERNELS_ELEMENTWISE_REQUANTIZE_H_

#include <cstdint>

#include "passes/kernels/elementwise/dequantize_formula.h"
#include "passes/kernels/elementwise/qparams.h"
#include "passes/kernels/parallel.h"

namespace ns::kernels {

// What Quantize to `to` makes of what Dequantize makes of `quantized`. `out`
// may be `quantized`. Equal qparams make a copy, even where dequantizing would
// overflow.
void RequantizeValues(const uint8_t* quantized, int64_t count, QParams from,
                      QParams to, uint8_t* out, Parallel parallel);
void RequantizeValues(const int8_t* quantized, int64_t count, QParams from,
                      QParams to, int8_t* out, Parallel parallel);

// Does the same over `rows` rows of `row_bytes` quantized values, which begin
// `src_stride` and `dst_stride` bytes from each other: a part of a
// concatenation. `dst` may not overlap `src`.
//
// LibTorch 1.13 concatenates with kSubtract, except channels of channels-last
// tensors: all of them but the last, where there are not eight, with kFma.
void CopyRequantized(const uint8_t* src, int64_t src_stride, int64_t rows,
                     int64_t row_bytes, QParams from, uint8_t* dst,
                     int64_t dst_stride, QParams to, Parallel parallel,
                     DequantizeFormula reading = DequantizeFormula::kSubtract);

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_ELEMENTWISE_REQUANTIZE_H_
