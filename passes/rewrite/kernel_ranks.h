// Checks how many dimensions a tensor has, where LibTorch's dynamic and
// weight-only ops do not take all that the float ops take.
#ifndef PASSES_REWRITE_KERNEL_RANKS_H_
#define PASSES_REWRITE_KERNEL_RANKS_H_

#include <cstdint>

#include "absl/status/status.h"

namespace torch::jit {
struct Value;
}  // namespace torch::jit

namespace ns {

// Returns OK if quantized::linear_dynamic takes an input of `rank` dimensions,
// which are two or more, and a refusal (ir/base/refusal.h) otherwise.
absl::Status CheckDynamicLinearRank(int64_t rank);

// The same for the indices of quantized::embedding_byte, embedding_4bit and
// their bags: one or two dimensions.
absl::Status CheckIndicesRank(int64_t rank);

// Returns what `check`, one of the functions above, returns for the number of
// dimensions in the type of `value`. OK where the type has none, as mostly in
// scripted models.
absl::Status CheckTypeOf(const torch::jit::Value& value,
                         absl::Status (*check)(int64_t rank));

}  // namespace ns

#endif  // PASSES_REWRITE_KERNEL_RANKS_H_
