#include "passes/ops/fusion_patterns.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"

namespace ns {
namespace {

constexpr absl::string_view kBatchNorm = "batch_norm";
constexpr absl::string_view kRelu = "relu";

constexpr absl::string_view kActivations[] = {
    "celu",       "elu",  "gelu",  "hardsigmoid", "hardswish",
    "hardtanh",   "mish", "prelu", "relu",        "sigmoid",
    "leaky_relu", "silu", "tanh",  "threshold",
};

constexpr absl::string_view kTakesRelu[] = {"add", "batch_norm", "cat",
                                            "matmul", "mul"};

// Families that hold a weight that a batch norm can be folded into.
bool TakesBatchNorm(absl::string_view family) {
  return family == "linear" || absl::StartsWith(family, "conv");
}

}  // namespace

bool IsActivation(absl::string_view family) {
  return absl::c_linear_search(kActivations, family);
}

bool FusesWith(absl::string_view base, absl::string_view previous,
               absl::string_view next) {
  if (IsActivation(previous)) {
    return false;
  }
  if (TakesBatchNorm(base)) {
    return IsActivation(next) || (next == kBatchNorm && previous == base);
  }
  return next == kRelu && absl::c_linear_search(kTakesRelu, base);
}

}  // namespace ns
