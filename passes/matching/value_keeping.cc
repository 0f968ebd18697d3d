#include "passes/matching/value_keeping.h"

#include <torch/csrc/jit/ir/ir.h>

#include "absl/strings/string_view.h"
#include "ir/aliasing/data_inputs.h"
#include "ir/graph/node_view.h"
#include "passes/ops/op_table.h"

namespace ns {
namespace {

bool HasRole(const torch::jit::Node& node, Role role) {
  const OpRow* row = FindOp(OpName(node));
  return row != nullptr && row->role == role;
}

}  // namespace

bool IsDropout(const torch::jit::Node& node) {
  const OpRow* row = FindOp(OpName(node));
  return row != nullptr && row->family == "dropout";
}

bool KeepsValues(const torch::jit::Node& node) {
  const absl::string_view op = OpName(node);
  return HasRole(node, Role::kDequantize) || HasRole(node, Role::kObserve) ||
         IsDropout(node) || op == "aten::to" || op == "aten::contiguous" ||
         op == "aten::detach" || op == "aten::clone" || op == "aten::alias";
}

bool KeepsOrQuantizesValues(const torch::jit::Node& node) {
  return KeepsValues(node) || HasRole(node, Role::kQuantize);
}

bool MovesOrKeepsValues(const torch::jit::Node& node) {
  return KeepsOrQuantizesValues(node) ||
         ((HasRole(node, Role::kShape) || HasRole(node, Role::kTransparent)) &&
          DataInputs(node).size() == 1);
}

}  // namespace ns
