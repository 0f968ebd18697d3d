// Codes to codes of other qparams.
#ifndef PASSES_KERNELS_ELEMENTWISE_REQUANTIZE_H_
#define PASSES_KERNELS_ELEMENTWISE_REQUANTIZE_H_

#include <cstdint>

#include "passes/kernels/elementwise/code_reading.h"
#include "passes/kernels/elementwise/qparams.h"
#include "passes/kernels/parallel.h"

namespace ns::kernels {

// What Quantize to `to` makes of what Dequantize makes of `codes`. `out` may be
// `codes`. Equal qparams make a copy, even where dequantizing would overflow.
void RequantizeCodes(const uint8_t* codes, int64_t count, QParams from,
                     QParams to, uint8_t* out, Parallel parallel);
void RequantizeCodes(const int8_t* codes, int64_t count, QParams from,
                     QParams to, int8_t* out, Parallel parallel);

// The same over `rows` rows of `row_bytes` codes, which begin `src_stride` and
// `dst_stride` bytes from each other: a part of a concatenation. `dst` may not
// overlap `src`.
//
// LibTorch 1.13 concatenates with kSubtract, except channels of channels-last
// tensors: all of them but the last, where there are not eight, with kFma.
void CopyRequantized(const uint8_t* src, int64_t src_stride, int64_t rows,
                     int64_t row_bytes, QParams from, uint8_t* dst,
                     int64_t dst_stride, QParams to, Parallel parallel,
                     CodeReading reading = CodeReading::kSubtract);

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_ELEMENTWISE_REQUANTIZE_H_
