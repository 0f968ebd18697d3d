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

// add_ and mul_ are `+=` and `*=`.
constexpr absl::string_view kListWriters[] = {
    "aten::Delete", "aten::_set_item", "aten::add_",    "aten::append",
    "aten::clear",  "aten::extend",    "aten::insert",  "aten::mul_",
    "aten::pop",    "aten::remove",    "aten::reverse", "aten::sort",
};

bool MakesList(const Node& node) {
  if (node.kind() == c10::prim::ListConstruct) {
    return true;
  }
  const OpRow* row = FindOp(OpName(node));
  return row != nullptr && (row->family == "chunk" || row->family == "split" ||
                            row->family == "unbind" || row->family == "list");
}

// Whether what uses a list reads or changes it, and neither stores the list nor
// returns it.
bool KeepsListToItself(const torch::jit::Use& use) {
  const Node& user = *use.user;
  if (user.kind() == c10::prim::ListUnpack) {
    return true;
  }
  const c10::FunctionSchema* schema = user.maybeSchema();
  if (schema == nullptr || user.kind() == c10::prim::unchecked_cast) {
    return false;
  }
  if (schema->is_mutable()) {
    // Those two read the second list; other ops store what they get.
    const bool is_kept = use.offset != 0 && OpName(user) != "aten::extend" &&
                         OpName(user) != "aten::add_";
    return !is_kept && (user.kind() == c10::aten::pop || !user.hasUses());
  }
  return use.offset < schema->arguments().size() &&
         schema->arguments()[use.offset].alias_info() == nullptr;
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
         absl::c_all_of(list.uses(), KeepsListToItself);
}

}  // namespace ns
