#include "passes/matching/side_names.h"

#include <torch/csrc/jit/ir/ir.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "ir/graph/module_path.h"
#include "ir/graph/node_view.h"
#include "passes/ops/op_families.h"
#include "passes/ops/op_table.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;

// Whether `node` makes a tensor from no other data, such as a mask: variables
// for that are called by any name.
bool IsSource(const Node& node) {
  const OpRow* const row = FindOp(OpName(node));
  return row != nullptr && row->role == Role::kSource && !node.kind().is_prim();
}

}  // namespace

std::string SideNames::NameOfQuantized(const Value& source) const {
  const auto producer = name_of_output_.find(&source);
  if (producer != name_of_output_.end()) {
    return absl::StrCat(producer->second, ".quantize");
  }
  const Node& node = *source.node();
  return absl::StrCat(source.hasDebugName() && !IsSource(node)
                          ? ValueName(source)
                          : NameOf(ModulePathOf(node), OpName(node)),
                      ".quantize");
}

std::string SideNames::Take(const std::string& name, const Value* output) {
  std::string unique = unique_.Take(name);
  if (output != nullptr) {
    name_of_output_[output] = unique;
  }
  return unique;
}

}  // namespace ns
