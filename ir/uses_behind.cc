#include "ir/uses_behind.h"

#include <torch/csrc/jit/ir/ir.h>

#include <cstddef>
#include <vector>

#include "absl/container/flat_hash_set.h"

namespace ns {

using ::torch::jit::Use;
using ::torch::jit::Value;

bool HasUseBehind(const Value& value,
                  absl::FunctionRef<bool(const Use& use)> hands_on,
                  absl::FunctionRef<bool(const Use& use)> found) {
  std::vector<const Value*> reached = {&value};
  absl::flat_hash_set<const Value*> seen = {&value};
  for (size_t i = 0; i < reached.size(); ++i) {
    for (const Use& use : reached[i]->uses()) {
      if (found(use)) {
        return true;
      }
      const bool may_hand_on =
          !use.user->outputs().empty() && use.user->blocks().empty();
      if (may_hand_on && hands_on(use) &&
          seen.insert(use.user->outputs()[0]).second) {
        reached.push_back(use.user->outputs()[0]);
      }
    }
  }
  return false;
}

}  // namespace ns
