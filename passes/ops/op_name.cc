#include "passes/ops/op_name.h"

#include <torch/csrc/jit/runtime/operator.h>

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "passes/ops/op_table.h"

namespace ns {

bool IsOperator(absl::string_view name) {
  return absl::StrContains(name, "::");
}

bool IsKnownOperator(absl::string_view name) {
  return FindOp(name) != nullptr ||
         !torch::jit::getAllOperatorsFor(
              c10::Symbol::fromQualString(std::string(name)))
              .empty();
}

absl::Status UnknownOp(absl::string_view name) {
  return absl::NotFoundError(absl::StrCat(
      "no operator '", name, "'; load the library that registers it first"));
}

}  // namespace ns
