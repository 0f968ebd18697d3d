// Keeps matches valid while passes change the graph of side b.
#ifndef PASSES_MATCHING_MATCH_FOLLOWER_H_
#define PASSES_MATCHING_MATCH_FOLLOWER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ir/pass_context.h"
#include "passes/matching/graph_matcher.h"

namespace torch::jit {
struct Graph;
struct Node;
}  // namespace torch::jit

namespace ns {

// Follows replacements in one graph. It is made before a pass runs, and asked
// afterwards. Both arguments must outlive the object.
class MatchFollower {
 public:
  explicit MatchFollower(MatchResult& matches);

  // Notes that `now` does what `old` did. PassContext calls it.
  void Replaced(const torch::jit::Node& old, torch::jit::Node& now);

  // Updates the matches to the nodes that took the place of theirs in `graph`,
  // that of side b; unmatched ops that are gone are dropped. Returns false, and
  // leaves the matches unusable, where a matched node is gone and nobody
  // reported what took its place. May be called once.
  bool Follow(const torch::jit::Graph& graph);

 private:
  struct Output {
    torch::jit::Node* node;
    size_t offset;
  };

  template <typename Visit>
  void ForEachMatchedNode(const Visit& visit);

  // A node, identified by the number of its first output: no other value of its
  // graph ever has it, while a later node may have the address of one that is
  // gone.
  struct Replacement {
    torch::jit::Node* node;
    size_t number;
  };

  MatchResult& matches_;
  std::vector<Output> outputs_;
  // The replacements by the number of the replaced node.
  absl::flat_hash_map<size_t, Replacement> replacements_;
  // The numbers of the nodes that the matches named at first.
  absl::flat_hash_map<const torch::jit::Node*, size_t> numbers_;
};

}  // namespace ns

#endif  // PASSES_MATCHING_MATCH_FOLLOWER_H_
