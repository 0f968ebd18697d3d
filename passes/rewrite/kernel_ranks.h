// Tells how many dimensions LibTorch's dynamic and weight-only ops take, which
// is fewer than the float ops do.
#ifndef PASSES_REWRITE_KERNEL_RANKS_H_
#define PASSES_REWRITE_KERNEL_RANKS_H_

#include <cstdint>

#include "absl/status/status.h"

namespace torch::jit {
struct Value;
}  // namespace torch::jit

namespace ns {

// Error: the refusal (ir/refusal.h) of quantized::linear_dynamic where its
// input has `rank` dimensions.
absl::Status CheckDynamicLinearRank(int64_t rank);

// Error: the same of quantized::embedding_byte and its like, for indices.
absl::Status CheckIndicesRank(int64_t rank);

// Returns what `check` says of the rank that the type of `value` tells; Ok
// where it tells none, as in scripted models.
absl::Status CheckTypeOf(const torch::jit::Value& value,
                         absl::Status (*check)(int64_t rank));

}  // namespace ns

#endif  // PASSES_REWRITE_KERNEL_RANKS_H_
