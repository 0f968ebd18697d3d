// Finds, and casts, the values that feed a shadow.
#ifndef PASSES_INSTRUMENT_SHADOW_INPUTS_H_
#define PASSES_INSTRUMENT_SHADOW_INPUTS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "passes/analysis/subgraph.h"
#include "passes/analysis/value_facts.h"

namespace torch::jit {
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// The values that stand in for DataInputsOf(shadow), in order, where `shadow`
// runs beside `shadowed`: the data inputs of `shadowed`, argument by argument,
// cast to what the shadow computes with (shadow_casts.h) in front of `place`.
// Where one side builds a list element by element and the other has it as one
// value, the list is taken apart or built. `facts` are those of the
// graph of `shadow`.
//
// Error: two subgraphs that take different data, or inputs that cannot be cast;
// the message is a reason for the user. What was inserted stays.
absl::StatusOr<std::vector<torch::jit::Value*>> ShadowInputs(
    const Subgraph& shadow, const Subgraph& shadowed, torch::jit::Node* place,
    const ValueFacts& facts);

}  // namespace ns

#endif  // PASSES_INSTRUMENT_SHADOW_INPUTS_H_
