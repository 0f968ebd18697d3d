#include "passes/rewrite/kernel_ranks.h"

#include <torch/csrc/jit/ir/ir.h>

#include "ir/base/refusal.h"

namespace ns {

absl::Status CheckDynamicLinearRank(int64_t rank) {
  return rank >= 2
             ? absl::OkStatus()
             : Refusal("its input is a vector; its kernel takes matrices");
}

absl::Status CheckIndicesRank(int64_t rank) {
  return rank == 1 || rank == 2
             ? absl::OkStatus()
             : Refusal("its kernel takes indices with one or two dimensions");
}

absl::Status CheckTypeOf(const torch::jit::Value& value,
                         absl::Status (*check)(int64_t rank)) {
  const auto type = value.type()->cast<c10::TensorType>();
  return type && type->dim() ? check(static_cast<int64_t>(*type->dim()))
                             : absl::OkStatus();
}

}  // namespace ns
