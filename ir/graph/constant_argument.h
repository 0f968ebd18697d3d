// Reads the constant arguments of an op by the names in its schema.
#ifndef IR_GRAPH_CONSTANT_ARGUMENT_H_
#define IR_GRAPH_CONSTANT_ARGUMENT_H_

#include <ATen/core/ivalue.h>

#include <optional>

#include "absl/strings/string_view.h"

namespace torch::jit {
struct Node;
}  // namespace torch::jit

namespace ns {

// Returns what `node` always takes as its argument `name`; none where its
// schema has no such argument, or where that is not constant.
std::optional<c10::IValue> ConstantArgument(const torch::jit::Node& node,
                                            absl::string_view name);

// Whether that is the bool true.
bool IsArgumentTrue(const torch::jit::Node& node, absl::string_view name);

}  // namespace ns

#endif  // IR_GRAPH_CONSTANT_ARGUMENT_H_
