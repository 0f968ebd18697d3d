#include "passes/quantization/layers/layer_site.h"

#include <torch/csrc/jit/ir/ir.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "ir/graph/node_view.h"

namespace ns {

using ::torch::jit::Node;
using ::torch::jit::Value;

size_t ArgumentIndex(const Node& node, absl::string_view name) {
  const c10::optional<int> index =
      node.schema().argumentIndexWithName(std::string(name));
  TORCH_INTERNAL_ASSERT(index, OpName(node), " has no argument ", name);
  return static_cast<size_t>(*index);
}

std::string NameFor(const Value& value, absl::string_view suffix) {
  return value.hasDebugName() ? absl::StrCat(ValueName(value), ".", suffix)
                              : "";
}

}  // namespace ns
