// Tells what a node computes from how its output is kept, for passes that
// compute the same by another op.
#ifndef PASSES_ANALYSIS_COMPUTE_ARGUMENTS_H_
#define PASSES_ANALYSIS_COMPUTE_ARGUMENTS_H_

#include <torch/csrc/jit/ir/ir.h>

#include <cstddef>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"

namespace ns {

// As GraphEditor::InsertBefore takes them.
struct ComputeArguments {
  std::vector<torch::jit::NamedValue> in_order;
  // Those that can only be given by name.
  std::vector<torch::jit::NamedValue> named;
};

// Returns the arguments of `node` that say what it computes: all but those that
// describe its output, which are its scale and zero point, and where it is
// written. The value of each is what `input_of` returns for the index of its
// input. `node` has a schema. Errors: those of `input_of`.
absl::StatusOr<ComputeArguments> ComputeArgumentsOf(
    const torch::jit::Node& node,
    absl::FunctionRef<absl::StatusOr<torch::jit::Value*>(size_t index)>
        input_of);

}  // namespace ns

#endif  // PASSES_ANALYSIS_COMPUTE_ARGUMENTS_H_
