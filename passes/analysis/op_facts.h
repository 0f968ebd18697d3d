// Computes what is known of the outputs of one op from what is known of its
// inputs. This is the transfer function of the data-flow analysis ValueFacts
// (value_facts.h), which itself handles control flow, lists and tuples.
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

// Returns the facts of an input. For a list or a tuple they hold for all its
// tensors.
using FactsOfInput =
    absl::FunctionRef<TensorFacts(const torch::jit::Value& input)>;

// Returns the facts of output `index` of `node`, a tensor or a list of tensors,
// for runs in which the op does not raise an error. `io_types` has what users
// say of their own ops.
TensorFacts FactsOfOutput(const torch::jit::Node& node, size_t index,
                          FactsOfInput facts_of, const OpIoTypes& io_types);

// Returns a number of dimensions that output `index` of `node` has at least; 0
// where nothing is known, TensorFacts::kNoTensor where it is no tensor.
int LeastRankOfOutput(const torch::jit::Node& node, size_t index,
                      FactsOfInput facts_of);

// Whether `user` takes the activation `value` only when that is quantized.
bool TakesQuantizedAlone(const torch::jit::Node& user,
                         const torch::jit::Value& value,
                         const OpIoTypes& io_types);

// What an op in place may change in the tensors that it writes to, besides
// their elements.
enum class WriteEffect {
  kNone,     // writes elements alone: aten::relu_
  kQParams,  // may give them another scale: aten::copy_
  kAll,      // may change anything: aten::unsqueeze_
};
// Returns the effect of `node`, an op in place.
WriteEffect EffectOfWrites(const torch::jit::Node& node);

}  // namespace ns

#endif  // PASSES_ANALYSIS_OP_FACTS_H_
