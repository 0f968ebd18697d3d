#include "ir/graph/constant_argument.h"

#include <torch/csrc/jit/ir/ir.h>

#include "ir/graph/node_view.h"

namespace ns {

std::optional<c10::IValue> ConstantArgument(const torch::jit::Node& node,
                                            absl::string_view name) {
  const torch::jit::Value* argument = InputNamed(node, name);
  return argument == nullptr ? std::nullopt : ConstantOf(*argument);
}

bool IsArgumentTrue(const torch::jit::Node& node, absl::string_view name) {
  const std::optional<c10::IValue> argument = ConstantArgument(node, name);
  return argument && argument->isBool() && argument->toBool();
}

}  // namespace ns
