#include "passes/lowering/fold/ops_on_quantized.h"

#include <torch/csrc/jit/ir/ir.h>

#include <array>
#include <optional>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "passes/analysis/call_guards.h"
#include "passes/ops/op_table.h"

namespace ns {
namespace {

constexpr std::array<absl::string_view, 3> kShapeQuestions = {
    "aten::dim", "aten::numel", "aten::size"};

absl::string_view NsKernelOf(const OpFamily& family) {
  const absl::Span<const FamilyOp> ops = OpsOf(family);
  const auto kernel = absl::c_find_if(
      ops, [](const FamilyOp& op) { return IsLoweredOp(op.op); });
  // op_families_test checks that every such family has one.
  return kernel == ops.end() ? absl::string_view() : kernel->op;
}

std::optional<OpOnQuantized> OpOnQuantizedOf(const OpRow& row) {
  switch (row.spelling->fold) {
    case FoldForm::kSameOpExactly:
      return OpOnQuantized{row.op, /*is_exact=*/true, row.spelling->guard};
    case FoldForm::kSameOpRounding:
      return OpOnQuantized{row.op, /*is_exact=*/false, row.spelling->guard};
    case FoldForm::kNsKernelExactly:
      return OpOnQuantized{row.op, /*is_exact=*/true, row.spelling->guard,
                           NsKernelOf(*row.family_row)};
    default:
      return std::nullopt;
  }
}

using OpsOnQuantized = absl::flat_hash_map<absl::string_view, OpOnQuantized>;

const OpsOnQuantized& AllOpsOnQuantized() {
  static const auto& ops = *[] {
    auto* ops = new OpsOnQuantized;
    for (const OpRow& row : OpTable()) {
      if (const std::optional<OpOnQuantized> op = OpOnQuantizedOf(row)) {
        ops->emplace(row.op, *op);
      }
    }
    return ops;
  }();
  return ops;
}

}  // namespace

const OpOnQuantized* FindOpOnQuantized(absl::string_view op) {
  const auto it = AllOpsOnQuantized().find(op);
  return it == AllOpsOnQuantized().end() ? nullptr : &it->second;
}

absl::Status CheckCall(const OpOnQuantized& op, const torch::jit::Node& node) {
  return CheckCall(op.guard, node);
}

bool AsksForShape(absl::string_view op) {
  return absl::c_linear_search(kShapeQuestions, op);
}

}  // namespace ns
