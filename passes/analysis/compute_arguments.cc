#include "passes/analysis/compute_arguments.h"

#include <torch/csrc/jit/ir/ir.h>

#include <array>

#include "absl/algorithm/container.h"
#include "absl/strings/string_view.h"
#include "ir/base/status.h"
#include "passes/analysis/output_scale.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;

// The names of arguments that say where an output is written.
constexpr std::array<absl::string_view, 2> kDestinations = {"inplace", "out"};

bool DescribesOutput(const Node& node, size_t index) {
  const int scale = OutputScaleArgument(node);
  const int input = static_cast<int>(index);
  return (scale >= 0 && (input == scale || input == scale + 1)) ||
         absl::c_linear_search(kDestinations,
                               node.schema().arguments()[index].name());
}

}  // namespace

absl::StatusOr<ComputeArguments> ComputeArgumentsOf(
    const Node& node,
    absl::FunctionRef<absl::StatusOr<Value*>(size_t index)> input_of) {
  ComputeArguments arguments;
  for (size_t i = 0; i < node.inputs().size(); ++i) {
    if (DescribesOutput(node, i)) {
      continue;
    }
    NS_ASSIGN_OR_RETURN(Value * input, input_of(i));
    const c10::Argument& argument = node.schema().arguments()[i];
    if (argument.kwarg_only()) {
      arguments.named.emplace_back(argument.name(), input);
    } else {
      arguments.in_order.emplace_back(input);
    }
  }
  return arguments;
}

}  // namespace ns
