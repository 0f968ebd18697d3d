#include "passes/ops/fusion_patterns.h"

#include "absl/strings/string_view.h"
#include "passes/ops/op_families.h"

namespace ns {

bool IsActivation(absl::string_view family) {
  const OpFamily* row = FindFamily(family);
  return row != nullptr && row->facts.is_activation;
}

bool FusesWith(absl::string_view base, absl::string_view previous,
               absl::string_view next) {
  const OpFamily* row = FindFamily(base);
  if (row == nullptr || row->facts.fusion == Fusion::kNone ||
      IsActivation(previous)) {
    return false;
  }
  if (row->facts.fusion == Fusion::kRelu) {
    return next == "relu";
  }
  return IsActivation(next) || (next == "batch_norm" && previous == base);
}

}  // namespace ns
