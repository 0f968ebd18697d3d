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
  // The nodes of one family in one call of a module: their indices in `a` and
  // `b`, in order of execution. There is one of B at least; A may have none, or
  // another number.
  struct Place {
    // MatchableNode::family, which lives as long as the models' OpRelations.
    absl::string_view family;
    llvm::SmallVector<int, 1> of_a;
    llvm::SmallVector<int, 1> of_b;
  };

  // `a` and `b` are read here alone. At no place are the code of the root
  // module, a prim::If or prim::Loop that is matched as a whole (what is in
  // others has places), and, of a module that a model calls several times, the
  // ops of a family of which the models differ in how many each call has:
  // names do not tell which calls correspond. There are no places at all unless
  // both models have the names of modules.
  PlacesByName(const MatchableNodes& a, const MatchableNodes& b);

  // Returns the places in the order of B's first node at each.
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
