// Finds nodes that stand at the same place of two models by name.
#ifndef PASSES_MATCHING_PLACES_BY_NAME_H_
#define PASSES_MATCHING_PLACES_BY_NAME_H_

#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "llvm/ADT/SmallVector.h"
#include "passes/matching/matchable_nodes.h"

namespace ns {

// The matchable nodes of both models, by call of a module and family of op.
class PlacesByName {
 public:
  struct Place {
    absl::string_view family;
    llvm::SmallVector<int, 1> of_a;
    llvm::SmallVector<int, 1> of_b;
  };

  // Nodes outside of named modules and control flow are at no place. Nor are
  // ops of a module that is called several times, unless the models have them
  // in the same calls: names do not tell which calls correspond.
  PlacesByName(const MatchableNodes& a, const MatchableNodes& b);

  // Returns the places of B, in order of execution.
  const std::vector<Place>& in_order() const { return places_; }

 private:
  // The path of a module and the index of its call.
  using Call = std::pair<absl::string_view, int>;
  // The indices into places_.
  using Places = llvm::SmallVector<int, 2>;

  void AddB(const MatchableNodes& b);
  // Adds the nodes that stand where some of B do.
  void AddA(const MatchableNodes& a);
  void DropUncertainCalls(const MatchableNodes& a, const MatchableNodes& b);
  Place* Find(const Places& call, absl::string_view family);

  absl::flat_hash_map<Call, Places> calls_;
  std::vector<Place> places_;
};

}  // namespace ns

#endif  // PASSES_MATCHING_PLACES_BY_NAME_H_
