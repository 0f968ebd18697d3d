#include "passes/analysis/list_writes.h"

#include <torch/csrc/jit/ir/ir.h>

#include "absl/algorithm/container.h"
#include "absl/strings/string_view.h"
#include "ir/node_view.h"
#include "passes/ops/op_table.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;

constexpr absl::string_view kListWriters[] = {
    "aten::Delete",  "aten::_set_item", "aten::append", "aten::clear",
    "aten::extend",  "aten::insert",    "aten::pop",    "aten::remove",
    "aten::reverse", "aten::sort",
};

bool MakesList(const Node& node) {
  if (node.kind() == c10::prim::ListConstruct) {
    return true;
  }
  const OpRow* row = FindOp(OpName(node));
  return row != nullptr && (row->family == "chunk" || row->family == "split" ||
                            row->family == "unbind" || row->family == "list");
}

// Whether `user` reads or changes a list, and its outputs do not refer to the
// list.
bool KeepsListToItself(const Node& user) {
  if (user.kind() == c10::prim::ListUnpack) {
    return true;
  }
  const c10::FunctionSchema* schema = user.maybeSchema();
  return schema != nullptr &&
         (!schema->is_mutable() || user.kind() == c10::aten::pop ||
          !user.hasUses());
}

}  // namespace

bool WritesToList(const Node& node) {
  const c10::FunctionSchema* schema = node.maybeSchema();
  return schema != nullptr && schema->is_mutable() && !node.inputs().empty() &&
         node.input(0)->type()->kind() == c10::TypeKind::ListType &&
         absl::c_linear_search(kListWriters, OpName(node));
}

bool IsPrivateList(const Value& list) {
  return MakesList(*list.node()) &&
         absl::c_all_of(list.uses(), [](const torch::jit::Use& use) {
           return KeepsListToItself(*use.user);
         });
}

}  // namespace ns
