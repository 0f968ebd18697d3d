// Applies any function to quantized values by looking them up in a table.
#ifndef PASSES_KERNELS_ELEMENTWISE_LOOK_UP_H_
#define PASSES_KERNELS_ELEMENTWISE_LOOK_UP_H_

#include <array>
#include <cstdint>

#include "absl/functional/function_ref.h"
#include "passes/kernels/elementwise/dequantize_formula.h"
#include "passes/kernels/parallel.h"
#include "passes/kernels/qparams.h"

namespace ns::kernels {

// The quantized value of the output, by that of the input.
using LookUpTable = std::array<uint8_t, 256>;

// Makes the table of `function`, which is called for each quantized value from
// 0 to 255: the value is dequantized with the qparams `in` by the formula
// `reading`, and what `function` returns is quantized with the qparams `out`,
// as Quantize of passes/kernels/elementwise/quantize.h does: to nearest, ties
// to even, before the zero point is added.
//
// LibTorch's quantized kernels of activations use both formulas: kFma for most
// elements, and kSubtract for those that are left at the end of a tensor, or of
// each thread's part of it: up to 63 with AVX2, and up to 127 with AVX-512. The
// ns ops do not follow that. They use one table for all elements, made with
// kFma (or, where LibTorch has the op for floats only, with kSubtract, as
// aten::dequantize does). So what they give for elements at the end may differ
// from LibTorch's by one step, where a value is a tie.
LookUpTable MakeTable(absl::FunctionRef<float(float)> function, QParams in,
                      QParams out, DequantizeFormula reading);

// Sets out[i] = table[quantized[i]] for `count` elements, which may be 0. `out`
// may be `quantized`, and does not overlap it otherwise.
void LookUp(const uint8_t* quantized, int64_t count, const LookUpTable& table,
            uint8_t* out, Parallel parallel);

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_ELEMENTWISE_LOOK_UP_H_
