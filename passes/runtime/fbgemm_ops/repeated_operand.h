// Broadcasts an operand of an elementwise op without a copy of all of it.
#ifndef PASSES_RUNTIME_FBGEMM_OPS_REPEATED_OPERAND_H_
#define PASSES_RUNTIME_FBGEMM_OPS_REPEATED_OPERAND_H_

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>

#include "absl/functional/function_ref.h"
#include "passes/kernels/parallel.h"

namespace ns {

// A quint8 tensor beside a larger one of [blocks][repeats][columns] elements in
// the order of its memory: each row of `columns` elements meets `repeats` rows
// of the larger one. The factors of channels, [N, C, 1, 1], are N blocks of C
// columns for channels-last images, and N * C blocks of one column for
// contiguous ones.
struct RepeatedOperand {
  at::Tensor values;  // dense, [blocks][columns] in memory
  int64_t blocks = 1;
  int64_t repeats = 1;
  int64_t columns = 1;
};

// Returns `x` beside `whole`, which is as Dense of quantized_data.h gives it
// and has the sizes to which both are broadcast. Returns nullopt where `x` is
// not repeated in this way: in one place of the order of the memory.
std::optional<RepeatedOperand> Repeated(const at::Tensor& x,
                                        const at::Tensor& whole);

// Calls piece(begin, count, values) for pieces that together are all elements
// of the larger tensor. values[i] is what meets its element begin + i.
void ForRepeated(
    const RepeatedOperand& operand, kernels::Parallel parallel,
    absl::FunctionRef<void(int64_t begin, int64_t count, const uint8_t* values)>
        piece);

}  // namespace ns

#endif  // PASSES_RUNTIME_FBGEMM_OPS_REPEATED_OPERAND_H_
