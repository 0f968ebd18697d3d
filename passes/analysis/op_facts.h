// What an op makes of what is known of its inputs: the transfer function of
// ValueFacts (value_facts.h), without control flow, lists and tuples.
#ifndef PASSES_ANALYSIS_OP_FACTS_H_
#define PASSES_ANALYSIS_OP_FACTS_H_

#include <cstddef>

#include "absl/functional/function_ref.h"
#include "passes/analysis/tensor_facts.h"
#include "passes/ops/op_io_types.h"

namespace torch::jit {
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// The facts of an input: of a list or a tuple, those of all its tensors.
using FactsOfInput =
    absl::FunctionRef<TensorFacts(const torch::jit::Value& input)>;

// Facts of output `index` of `node`, a tensor or a list of tensors, when the
// op runs without an error. `io_types` tells of ops of the user's.
TensorFacts FactsOfOutput(const torch::jit::Node& node, size_t index,
                          FactsOfInput facts_of, const OpIoTypes& io_types);

// The rank that output `index` has at least.
int LeastRankOfOutput(const torch::jit::Node& node, size_t index,
                      FactsOfInput facts_of);

// Whether the activation `value` of `user` is quantized whenever that runs:
// the op takes no other.
bool TakesQuantizedAlone(const torch::jit::Node& user,
                         const torch::jit::Value& value,
                         const OpIoTypes& io_types);

// What an op in place may change of the tensors that it writes to, besides
// their elements.
enum class WriteEffect {
  kNone,     // writes elements alone: aten::relu_
  kQParams,  // may give them another scale: aten::copy_
  kAll,      // may change anything: aten::unsqueeze_
};
WriteEffect EffectOfWrites(const torch::jit::Node& node);

}  // namespace ns

#endif  // PASSES_ANALYSIS_OP_FACTS_H_
