// Finds the values of a graph whose parts no common scale fits.
#ifndef PASSES_QUANTIZATION_OBSERVE_LOST_PARTS_H_
#define PASSES_QUANTIZATION_OBSERVE_LOST_PARTS_H_

#include <string>

#include "absl/strings/string_view.h"
#include "llvm/ADT/DenseMap.h"

namespace torch::jit {
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// Follows, in order of execution, the output of a concatenation that stays in
// float (UnbalancedParts::lost) to what still holds its parts side by side:
// through views, pools, clamps, other concatenations, sums and products with
// numbers and constants, and the outputs of prim::If and prim::Loop. Quantizing
// such a value with one scale would lose the parts all the same.
class LostParts {
 public:
  // Notes that `value` is the output of the concatenation called `name`.
  void Add(const torch::jit::Value& value, absl::string_view name);

  // Notes what the outputs of `node` hold, given what its inputs do. For a
  // prim::If and a prim::Loop, call it once their blocks have been visited.
  void Follow(const torch::jit::Node& node);

  // Notes what a prim::Loop carries into its block. Call it before the block is
  // visited.
  void EnterLoop(const torch::jit::Node& loop);

  // Returns the name of the concatenation whose parts `value` holds; empty for
  // none. It is valid until the next call of another method.
  absl::string_view In(const torch::jit::Value& value) const;

 private:
  // Notes that `to` holds the parts that `from` holds, if any.
  void Carry(const torch::jit::Value& from, const torch::jit::Value& to);

  llvm::DenseMap<const torch::jit::Value*, std::string> names_;
};

}  // namespace ns

#endif  // PASSES_QUANTIZATION_OBSERVE_LOST_PARTS_H_
