// Chains of ops that quantization turns into one.
#ifndef PASSES_OPS_FUSION_PATTERNS_H_
#define PASSES_OPS_FUSION_PATTERNS_H_

#include "absl/strings/string_view.h"

namespace ns {

// What may follow what in one fused subgraph, by the table of ops
// (FamilyFacts::fusion): conv, linear and their transposed forms take a batch
// norm, then an activation; batch norm, add, mul, matmul and cat take a relu.
// `base` is the family of the base op, `previous` the family of the last op so
// far and `next` the candidate's. A family of the user's takes nothing.
bool FusesWith(absl::string_view base, absl::string_view previous,
               absl::string_view next);

// True for families that compute element by element on one input and keep its
// shape: relu, hardtanh, sigmoid, ...
bool IsActivation(absl::string_view family);

}  // namespace ns

#endif  // PASSES_OPS_FUSION_PATTERNS_H_
