#include "passes/lowering/fold/quantized_ops.h"

#include <torch/csrc/jit/ir/ir.h>

#include <optional>

#include "absl/container/flat_hash_map.h"
#include "ir/graph/node_view.h"
#include "passes/analysis/call_guards.h"
#include "passes/lowering/fold/ops_on_quantized.h"
#include "passes/ops/op_table.h"

namespace ns {
namespace {

using ::torch::jit::Node;

// Returns null for an op that is not folded, and for one that runs on quantized
// tensors as it is.
QuantizedForm FormOf(FoldForm fold) {
  switch (fold) {
    case FoldForm::kByName:
      return InsertByName;
    case FoldForm::kNsKernel:
      return InsertNsKernel;
    case FoldForm::kGroupNorm:
      return InsertGroupNorm;
    case FoldForm::kBinary:
      return InsertBinary;
    case FoldForm::kList:
      return InsertList;
    case FoldForm::kPackedLinear:
      return InsertPackedLinear;
    case FoldForm::kPackedConv:
      return InsertPackedConv;
    case FoldForm::kFixedRange:
      return InsertFixed;
    case FoldForm::kFixedRangeOrByName:
      return InsertSigmoid;
    case FoldForm::kNone:
    case FoldForm::kSameOpExactly:
    case FoldForm::kSameOpRounding:
    case FoldForm::kNsKernelExactly:
      return nullptr;
  }
  return nullptr;
}

// Returns the op of `family` for quantized values that ends in `activation`:
// LibTorch's, if all releases have it, or else the ns op. Empty when there is
// neither.
absl::string_view Int8OpOf(const OpFamily& family, FinalActivation activation) {
  // LibTorch's ops stand before ns ops in the table.
  for (const FamilyOp& op : OpsOf(family)) {
    if (op.numerics == Numerics::kInt8 && op.releases == Releases::kAll &&
        op.fused_activation == activation) {
      return op.op;
    }
  }
  return "";
}

std::optional<QuantizedOp> QuantizedOpOf(const OpRow& row) {
  const FoldForm fold = row.spelling->fold;
  QuantizedOp op;
  op.float_op = row.op;
  op.form = FormOf(fold);
  if (op.form == nullptr) {
    return std::nullopt;
  }
  op.guard = row.spelling->guard;
  if (fold == FoldForm::kFixedRange) {
    return op;
  }
  const OpFamily& family = *row.family_row;
  op.op = Int8OpOf(family, FinalActivation::kNone);
  op.relu_op = Int8OpOf(family, FinalActivation::kRelu);
  op.fuses_relu = !op.relu_op.empty() && !IsLoweredOp(op.relu_op);
  if (fold == FoldForm::kPackedConv || fold == FoldForm::kPackedLinear) {
    // aten::_convolution is of no one family: the call tells which convolution
    // it is, and InsertPackedConv refuses the relu where that does not fuse it.
    op.fuses_relu = op.fuses_relu || op.op.empty();
    op.op = "";
    op.relu_op = op.fuses_relu ? "_relu" : "";
  }
  return op;
}

using QuantizedOps = absl::flat_hash_map<absl::string_view, QuantizedOp>;

const QuantizedOps& AllQuantizedOps() {
  static const auto& ops = *[] {
    auto* ops = new QuantizedOps;
    for (const OpRow& row : OpTable()) {
      if (const std::optional<QuantizedOp> op = QuantizedOpOf(row)) {
        ops->emplace(row.op, *op);
      }
    }
    return ops;
  }();
  return ops;
}

}  // namespace

const QuantizedOp* FindQuantizedOp(absl::string_view float_op) {
  const auto it = AllQuantizedOps().find(float_op);
  return it == AllQuantizedOps().end() ? nullptr : &it->second;
}

absl::Status CheckCall(const QuantizedOp& op, const Node& node) {
  return CheckCall(op.guard, node);
}

bool MayBeQuantized(const Node& node) {
  return node.kind() == c10::aten::dequantize || node.kind() == c10::prim::If ||
         FindQuantizedOp(OpName(node)) != nullptr ||
         FindOpOnQuantized(OpName(node)) != nullptr;
}

}  // namespace ns
