// The casts between the values of one model and the subgraphs of another.
#ifndef PASSES_REWRITE_SHADOW_CASTS_H_
#define PASSES_REWRITE_SHADOW_CASTS_H_

#include "absl/status/statusor.h"
#include "passes/analysis/value_facts.h"

namespace torch::jit {
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// Casts `value`, a tensor or a list of tensors of any dtype, to what `original`
// likely holds by the `facts` of its graph, in front of `place`:
//
//   float     %cast = ns::as_float(%value)
//   half      %cast = ns::as_half(%value)
//   quantized %cast = ns::as_quantized(%value, %scale, %zero_point, %dtype),
//             with the qparams of `original`
//
// Indices and masks, which `original` may hold, count as float: the casts leave
// them alone. Error: an `original` that is quantized with a scale or a zero
// point that is not constant.
absl::StatusOr<torch::jit::Value*> CastLike(const torch::jit::Value& original,
                                            const ValueFacts& facts,
                                            torch::jit::Value* value,
                                            torch::jit::Node* place);

}  // namespace ns

#endif  // PASSES_REWRITE_SHADOW_CASTS_H_
