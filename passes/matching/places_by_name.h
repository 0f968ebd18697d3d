// Finds the nodes of two models that belong to the same call of a module, by
// the name of the module.
#ifndef PASSES_MATCHING_PLACES_BY_NAME_H_
#define PASSES_MATCHING_PLACES_BY_NAME_H_

#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "llvm/ADT/SmallVector.h"
#include "passes/matching/matchable_nodes.h"

namespace ns {

// Groups the matchable nodes of both models by the call of a module that they
// come from and by their family. Such a group is a place.
class PlacesByName {
 public:
  // The nodes of one family in one call of a module: their indices in `a` and
  // `b`, in order of execution. There is at least one of B. A may have none, or
  // more or fewer than B.
  struct Place {
    // MatchableNode::family. It is a view, valid as long as the OpRelations of
    // the models.
    absl::string_view family;
    llvm::SmallVector<int, 1> of_a;
    llvm::SmallVector<int, 1> of_b;
  };

  // `a` and `b` are read only here. Left out are:
  //
  // - nodes of the root module itself, which has no name;
  // - the prim::If or prim::Loop nodes that are nodes by themselves
  //   (MatchableNode::is_control_flow); nodes inside them are not left out;
  // - of a module that one of the models calls several times, the nodes of a
  //   family if the calls do not have the same number of them in both models:
  //   then it is not clear which calls correspond.
  //
  // If one of the models has no module names, there are no places.
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
