#include "passes/ops/unmatchable_ops.h"

#include <string>

#include "absl/algorithm/container.h"
#include "absl/strings/strip.h"
#include "passes/ops/op_name.h"

namespace ns {

absl::Status UnmatchableOps::Add(absl::string_view op) {
  if (IsOperator(op) ? !IsKnownOperator(op) : op.empty()) {
    return UnknownOp(op);
  }
  if (IsOperator(op)) {
    operators_.emplace(absl::StripSuffix(op, "_"));
  } else {
    callees_.emplace(op);
  }
  return absl::OkStatus();
}

bool UnmatchableOps::Contains(absl::string_view op,
                              const ModulePath& path) const {
  if (operators_.find(absl::StripSuffix(op, "_")) != operators_.end()) {
    return true;
  }
  return absl::c_any_of(callees_, [&](const std::string& callee) {
    return IsTypeNamed(path.type, callee) ||
           (!IsOperator(op) && IsTypeNamed(op, callee));
  });
}

}  // namespace ns
