// Tells which chains of float ops quantization turns into one op, such as a
// conv and a relu.
#ifndef PASSES_OPS_FUSION_PATTERNS_H_
#define PASSES_OPS_FUSION_PATTERNS_H_

#include "absl/strings/string_view.h"

namespace ns {

// Whether an op of family `next` may come next in a fused subgraph whose base
// op has the family `base` and whose last op so far has the family `previous`.
// The table of ops decides (FamilyFacts::fusion): linear and convolutions,
// transposed or not, take a batch norm, then an activation; batch norm, add,
// mul, matmul and cat take a relu. Families that users define take nothing.
bool FusesWith(absl::string_view base, absl::string_view previous,
               absl::string_view next);

// True for families that compute element by element on one input and keep its
// shape: relu, hardtanh, sigmoid, ...
bool IsActivation(absl::string_view family);

}  // namespace ns

#endif  // PASSES_OPS_FUSION_PATTERNS_H_
