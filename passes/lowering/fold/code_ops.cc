#include "passes/lowering/fold/code_ops.h"

#include <torch/csrc/jit/ir/ir.h>

#include <array>
#include <optional>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "passes/lowering/fold/call_guards.h"
#include "passes/ops/op_table.h"

namespace ns {
namespace {

constexpr std::array<absl::string_view, 3> kShapeQuestions = {
    "aten::dim", "aten::numel", "aten::size"};

absl::string_view NsKernelOf(const OpFamily& family) {
  const absl::Span<const FamilyOp> ops = OpsOf(family);
  const auto kernel = absl::c_find_if(
      ops, [](const FamilyOp& op) { return IsLoweredOp(op.op); });
  // op_families_test holds that there is one.
  return kernel == ops.end() ? absl::string_view() : kernel->op;
}

std::optional<CodeOp> CodeOpOf(const OpRow& row) {
  switch (row.spelling->fold) {
    case FoldForm::kSameOpExactly:
      return CodeOp{row.op, /*is_exact=*/true, row.spelling->guard};
    case FoldForm::kSameOpRounding:
      return CodeOp{row.op, /*is_exact=*/false, row.spelling->guard};
    case FoldForm::kNsKernelExactly:
      return CodeOp{row.op, /*is_exact=*/true, row.spelling->guard,
                    NsKernelOf(*row.family_row)};
    default:
      return std::nullopt;
  }
}

using CodeOps = absl::flat_hash_map<absl::string_view, CodeOp>;

const CodeOps& AllCodeOps() {
  static const auto& ops = *[] {
    auto* ops = new CodeOps;
    for (const OpRow& row : OpTable()) {
      if (const std::optional<CodeOp> op = CodeOpOf(row)) {
        ops->emplace(row.op, *op);
      }
    }
    return ops;
  }();
  return ops;
}

}  // namespace

const CodeOp* FindCodeOp(absl::string_view op) {
  const auto it = AllCodeOps().find(op);
  return it == AllCodeOps().end() ? nullptr : &it->second;
}

absl::Status CheckCall(const CodeOp& op, const torch::jit::Node& node) {
  return CheckCall(op.guard, node);
}

bool AsksForShape(absl::string_view op) {
  return absl::c_linear_search(kShapeQuestions, op);
}

}  // namespace ns
