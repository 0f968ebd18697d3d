// Requantizes: turns quantized values into those of other qparams.
#ifndef PASSES_KERNELS_ELEMENTWISE_REQUANTIZE_H_
#define PASSES_KERNELS_ELEMENTWISE_REQUANTIZE_H_

#include <cstdint>

#include "passes/kernels/elementwise/dequantize_formula.h"
#include "passes/kernels/parallel.h"
#include "passes/kernels/qparams.h"

namespace ns::kernels {

// Dequantizes `quantized` with `from` and quantizes the result with `to`, as
// Dequantize and Quantize do (dequantize.h, quantize.h). `out` may be
// `quantized`. Equal qparams make a copy, even where dequantizing would
// overflow.
void RequantizeValues(const uint8_t* quantized, int64_t count, QParams from,
                      QParams to, uint8_t* out, Parallel parallel);
void RequantizeValues(const int8_t* quantized, int64_t count, QParams from,
                      QParams to, int8_t* out, Parallel parallel);

// Does the same for `rows` rows of `row_bytes` quantized values each, as one
// tensor of a concatenation has them. Rows begin `src_stride` bytes apart in
// `src`, and `dst_stride` in `dst`, which may not overlap `src`. `reading` is
// the formula by which values are dequantized.
//
// LibTorch 1.13 concatenates with kSubtract, except along the channels of
// channels-last tensors: of those of each tensor, it reads groups of eight with
// kFma, and only the rest, up to seven, with kSubtract.
void CopyRequantized(const uint8_t* src, int64_t src_stride, int64_t rows,
                     int64_t row_bytes, QParams from, uint8_t* dst,
                     int64_t dst_stride, QParams to, Parallel parallel,
                     DequantizeFormula reading = DequantizeFormula::kSubtract);

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_ELEMENTWISE_REQUANTIZE_H_
