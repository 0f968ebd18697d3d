// Casts values of one model to the dtype that a subgraph of the other model
// takes.
#ifndef PASSES_REWRITE_SHADOW_CASTS_H_
#define PASSES_REWRITE_SHADOW_CASTS_H_

#include "absl/status/statusor.h"
#include "passes/analysis/value_facts.h"

namespace torch::jit {
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// Inserts, in front of `place`, a cast of `value`, a tensor or a list of
// tensors of any dtype, to the dtype that `original` likely has, and returns
// the result. `facts` are those of the graph of `original`. By that dtype:
//
//   float     %cast = ns::as_float(%value)
//   half      %cast = ns::as_half(%value)
//   quantized %cast = ns::as_quantized(%value, %scale, %zero_point, %dtype),
//             with the qparams of `original`
//
// When `original` holds indices or masks, the cast is the one to float, which
// does not change them. Error: an `original` that is quantized with a scale or
// a zero point that is not constant.
absl::StatusOr<torch::jit::Value*> CastLike(const torch::jit::Value& original,
                                            const ValueFacts& facts,
                                            torch::jit::Value* value,
                                            torch::jit::Node* place);

}  // namespace ns

#endif  // PASSES_REWRITE_SHADOW_CASTS_H_
