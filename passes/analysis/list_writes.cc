#include "passes/analysis/list_writes.h"

#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/string_view.h"
#include "ir/graph/node_view.h"
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

bool IsContainer(const Value& value) {
  return value.type()->kind() == c10::TypeKind::ListType ||
         value.type()->kind() == c10::TypeKind::DictType;
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

// Returns where in a list of `size` elements the constant `index` points to;
// below 0 it counts from the end.
std::optional<int64_t> PlaceInList(const Value& index, size_t size) {
  const std::optional<c10::IValue> constant = ConstantOf(index);
  if (!constant || !constant->isInt()) {
    return std::nullopt;
  }
  const int64_t place = constant->toInt();
  return place < 0 ? place + static_cast<int64_t>(size) : place;
}

// Does to `elements` what `writer` does to the list that has them. Returns
// whether the graph tells what that is.
bool Write(const Node& writer, std::vector<Value*>& elements) {
  const absl::string_view op = OpName(writer);
  const auto input = [&](size_t i) {
    return const_cast<Value*>(writer.input(i));
  };
  const auto size = static_cast<int64_t>(elements.size());
  if (op == "aten::append") {
    elements.push_back(input(1));
    return true;
  }
  if (op == "aten::extend" || op == "aten::add_") {
    const auto more = ElementsBefore(*input(1), writer);
    if (more) {
      elements.insert(elements.end(), more->begin(), more->end());
    }
    return more.has_value();
  }
  if (op == "aten::insert") {
    const auto place = PlaceInList(*input(1), elements.size());
    if (place) {
      // As in Python, an index beyond an end is that end.
      elements.insert(elements.begin() + std::clamp<int64_t>(*place, 0, size),
                      input(2));
    }
    return place.has_value();
  }
  if (op == "aten::_set_item") {
    const auto place = PlaceInList(*input(1), elements.size());
    const bool is_within = place && *place >= 0 && *place < size;
    if (is_within) {
      elements[*place] = input(2);
    }
    return is_within;
  }
  return false;
}

}  // namespace

bool WritesToList(const Node& node) {
  const c10::FunctionSchema* schema = node.maybeSchema();
  return schema != nullptr && schema->is_mutable() && !node.inputs().empty() &&
         node.input(0)->type()->kind() == c10::TypeKind::ListType &&
         absl::c_linear_search(kListWriters, OpName(node));
}

bool WritesToContainersAlone(const Node& node) {
  const c10::FunctionSchema* schema = node.maybeSchema();
  if (schema == nullptr || !schema->is_mutable() || !node.blocks().empty()) {
    return false;
  }
  for (size_t i = 0; i < schema->arguments().size(); ++i) {
    const c10::AliasInfo* alias = schema->arguments()[i].alias_info();
    const bool writes_to_elements =
        alias != nullptr && absl::c_any_of(alias->containedTypes(),
                                           [](const c10::AliasInfo& element) {
                                             return element.isWrite();
                                           });
    if (writes_to_elements || (alias != nullptr && alias->isWrite() &&
                               !IsContainer(*node.input(i)))) {
      return false;
    }
  }
  return true;
}

bool IsPrivateList(const Value& list) {
  return MakesList(*list.node()) &&
         absl::c_all_of(list.uses(), KeepsListToItself);
}

std::optional<std::vector<Value*>> ElementsBefore(const Value& list,
                                                  const Node& place) {
  const Node* made = list.node();
  if (made->kind() != c10::prim::ListConstruct || !IsPrivateList(list) ||
      place.owningBlock() != made->owningBlock()) {
    return std::nullopt;
  }
  std::vector<Value*> elements;
  for (const Value* element : made->inputs()) {
    elements.push_back(const_cast<Value*>(element));
  }
  for (const Node* writer : WritersBefore(list, place)) {
    const bool only_reads = WritesToList(*writer) && writer->input(0) != &list;
    if (!only_reads && !Write(*writer, elements)) {
      return std::nullopt;
    }
  }
  return elements;
}

}  // namespace ns
