// Keeps matches valid while passes change the graph of side b.
#ifndef PASSES_MATCHING_MATCHES_MATCH_FOLLOWER_H_
#define PASSES_MATCHING_MATCHES_MATCH_FOLLOWER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ir/graph/pass_context.h"
#include "llvm/ADT/DenseMap.h"
#include "passes/matching/graph_matcher.h"

namespace torch::jit {
struct Graph;
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// Follows replacements in one graph. It is made before a pass runs, is told of
// replacements meanwhile, and asked afterwards:
//
//   MatchFollower follower(matches);
//   const ScopedReplacementListener listener(
//       context, [&](const Value& old, Value& now) {
//         follower.Replaced(old, now);
//       });
//   NS_RETURN_IF_ERROR(pass.Run(b, context).status());
//   if (!follower.Follow(b.graph())) ...
//
// `matches` must outlive the object, and nobody else may change it before
// Follow.
class MatchFollower {
 public:
  explicit MatchFollower(MatchResult& matches);

  // Notes that `now` stands for `old`, and its node for that of `old`.
  void Replaced(const torch::jit::Value& old, torch::jit::Value& now);

  // Updates the matches to the nodes and values that took the place of theirs
  // in `graph`, that of side b, which must be the same object as before;
  // unmatched ops that are gone are dropped. Returns false, and leaves the
  // matches unusable, where a matched node or output is gone and nobody
  // reported what took its place. May be called once.
  bool Follow(const torch::jit::Graph& graph);

 private:
  template <typename Visit>
  void ForEachMatchedNode(const Visit& visit);

  // A node, identified by the number of its first output: no other value of its
  // graph ever has it, while a later node may have the address of one that is
  // gone.
  struct Replacement {
    torch::jit::Node* node;
    size_t number;
  };

  // An output of a node, by the value's own number.
  struct Output {
    torch::jit::Node* node;
    size_t offset;
    size_t number;
  };

  MatchResult& matches_;
  // Of each match.
  std::vector<Output> outputs_;
  // The replacements by the number of the replaced node, and of the value.
  absl::flat_hash_map<size_t, Replacement> replacements_;
  absl::flat_hash_map<size_t, Output> replaced_outputs_;
  // The numbers of the nodes that the matches named at first.
  llvm::DenseMap<const torch::jit::Node*, size_t> numbers_;
};

}  // namespace ns

#endif  // PASSES_MATCHING_MATCHES_MATCH_FOLLOWER_H_
