#include "passes/ops/op_io_types.h"

#include <torch/csrc/jit/ir/ir.h>

#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "ir/graph/module_path.h"
#include "ir/graph/node_view.h"
#include "passes/ops/op_name.h"

namespace ns {

absl::Status OpIoTypes::Set(absl::string_view op, Numerics numerics) {
  if (IsOperator(op) ? !IsKnownOperator(op) : op.empty()) {
    return UnknownOp(op);
  }
  const std::string key(IsOperator(op) ? absl::StripSuffix(op, "_") : op);
  const OpRow* row = FindOp(op);
  const Numerics known =
      row != nullptr ? row->numerics
                     : numerics_.try_emplace(key, numerics).first->second;
  return known == numerics
             ? absl::OkStatus()
             : absl::AlreadyExistsError(absl::StrCat(
                   op, " has the io type '", IoTypeName(known), "' already"));
}

std::optional<Numerics> OpIoTypes::Find(const torch::jit::Node& node) const {
  const absl::string_view op = OpName(node);
  if (const OpRow* row = FindOp(op)) {
    return row->numerics;
  }
  if (numerics_.empty()) {
    return std::nullopt;
  }
  if (const auto it = numerics_.find(absl::StripSuffix(op, "_"));
      it != numerics_.end()) {
    return it->second;
  }
  if (IsLeafCall(node)) {
    for (const auto& [name, numerics] : numerics_) {
      if (IsTypeNamed(op, name)) {
        return numerics;
      }
    }
  }
  return std::nullopt;
}

absl::string_view IoTypeName(Numerics numerics) {
  switch (numerics) {
    case Numerics::kInt8:
      return "int8";
    case Numerics::kInt8ToFloat:
      return "int8 to float";
    case Numerics::kEither:
      return "either";
    case Numerics::kDynamic:
      return "dynamic";
    case Numerics::kFp16:
      return "fp16";
    case Numerics::kFloat:
      break;
  }
  return "float";
}

}  // namespace ns
