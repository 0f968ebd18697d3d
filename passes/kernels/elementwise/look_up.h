// Applies any function to quantized values by looking them up in a table.
#ifndef PASSES_KERNELS_ELEMENTWISE_LOOK_UP_H_
#define PASSES_KERNELS_ELEMENTWISE_LOOK_UP_H_

#include <array>
#include <cstdint>

#include "absl/functional/function_ref.h"
#include "passes/kernels/elementwise/dequantize_formula.h"
#include "passes/kernels/elementwise/qparams.h"
#include "passes/kernels/parallel.h"

namespace ns::kernels {

// The byte that stands for each byte.
using LookUpTable = std::array<uint8_t, 256>;

// For each u8 quantized value of `in`, the quantized value that Quantize gives
// of `function` of its value. LibTorch's kernels of activations read the most
// of a tensor with kFma, and the last elements with kSubtract.
LookUpTable MakeTable(absl::FunctionRef<float(float)> function, QParams in,
                      QParams out, DequantizeFormula reading);

// out[i] = table[quantized[i]]. `out` may be `quantized`.
void LookUp(const uint8_t* quantized, int64_t count, const LookUpTable& table,
            uint8_t* out, Parallel parallel);

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_ELEMENTWISE_LOOK_UP_H_
