// Finds the nodes that use a value of a graph.
#ifndef PASSES_MATCHING_USERS_OF_VALUES_H_
#define PASSES_MATCHING_USERS_OF_VALUES_H_

#include <vector>

#include "absl/functional/function_ref.h"
#include "llvm/ADT/DenseMap.h"
#include "passes/matching/matchable_nodes.h"

namespace torch::jit {
struct Value;
}  // namespace torch::jit

namespace ns {

// Keeps which nodes take a value, directly or through ops that the other model
// may not have (MatchableNodes::Sources). The table is indexed by the node that
// makes the value where there is one: as a graph is walked in order of
// execution, memory is, too.
class UsersOfValues {
 public:
  struct User {
    int node;       // its index in MatchableNodes
    int steps;      // the number of ops in between
    int input = 0;  // the index of the input in DataInputsOf the node
  };

  // `nodes` is MatchableNodes::size() of the graph.
  explicit UsersOfValues(int nodes) : last_(nodes, kNone) {}

  void Clear() {
    for (const Link& link : links_) {
      if (link.maker >= 0) {
        last_[link.maker] = kNone;
      }
    }
    last_of_others_.clear();
    links_.clear();
  }

  void Add(const Source& source, User user) {
    int& last =
        source.node >= 0
            ? last_[source.node]
            : last_of_others_.try_emplace(source.value, kNone).first->second;
    links_.push_back({user, source.node, last});
    last = static_cast<int>(links_.size()) - 1;
  }

  // Calls `function` for each user that was added, the last one first.
  void ForEach(const Source& source,
               absl::FunctionRef<void(User)> function) const {
    for (int i = LastOf(source); i != kNone; i = links_[i].previous) {
      function(links_[i].user);
    }
  }

 private:
  static constexpr int kNone = -1;

  struct Link {
    User user;
    int maker;     // the node that makes the value, or -1
    int previous;  // the link of the same value before, or kNone
  };

  int LastOf(const Source& source) const {
    if (source.node >= 0) {
      return last_[source.node];
    }
    const auto it = last_of_others_.find(source.value);
    return it == last_of_others_.end() ? kNone : it->second;
  }

  // The last link of the users of a value, or kNone: by the node that makes the
  // value, and by value where no node does.
  std::vector<int> last_;
  llvm::DenseMap<const torch::jit::Value*, int> last_of_others_;
  std::vector<Link> links_;
};

}  // namespace ns

#endif  // PASSES_MATCHING_USERS_OF_VALUES_H_
