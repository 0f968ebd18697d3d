// Any function of a code.
#ifndef PASSES_KERNELS_ELEMENTWISE_LOOK_UP_H_
#define PASSES_KERNELS_ELEMENTWISE_LOOK_UP_H_

#include <array>
#include <cstdint>

#include "absl/functional/function_ref.h"
#include "passes/kernels/elementwise/code_reading.h"
#include "passes/kernels/elementwise/qparams.h"
#include "passes/kernels/parallel.h"

namespace ns::kernels {

// The byte that stands for each byte.
using CodeTable = std::array<uint8_t, 256>;

// For each u8 code of `in`, the code that Quantize gives of `function` of its
// value. LibTorch's kernels of activations read the most of a tensor with
// kFma, and the last elements with kSubtract.
CodeTable MakeTable(absl::FunctionRef<float(float)> function, QParams in,
                    QParams out, CodeReading reading);

// out[i] = table[codes[i]]. `out` may be `codes`.
void LookUp(const uint8_t* codes, int64_t count, const CodeTable& table,
            uint8_t* out, Parallel parallel);

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_ELEMENTWISE_LOOK_UP_H_
