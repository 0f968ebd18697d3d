// Follows a value to what uses it and to what is computed from it.
#ifndef IR_GRAPH_USES_BEHIND_H_
#define IR_GRAPH_USES_BEHIND_H_

#include <torch/csrc/jit/ir/ir.h>

#include <cstdint>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"

namespace ns {

// Returns whether `found` is true of a use of `value`, or of a use of what it
// becomes. The value itself is followed through control flow, lists, tuples,
// dicts, optional types, views (ir/graph/handed_on.h) and attributes, and for
// each use that `hands_on` is true of, the outputs of the op are followed like
// the value. An element of a tuple or of a list that does not change is told
// from the other elements.
//
//   %r = prim::If(%p)              "softmax" is a use behind %a, if "add" hands
//     block0():                    on
//       %s = aten::add(%a, %m)
//       -> (%s)
//     block1():
//       -> (%a)
//   %y = aten::softmax(%r, %dim)
//
// Where an op in place hands on, so do all uses of the tensor that it writes
// to, whatever their order, and of what that is a view of. Attributes of one
// name are not told apart.
//
// Both functions are called for each use that is reached until one is found;
// `hands_on` is only called for nodes with outputs and without blocks.
bool HasUseBehind(const torch::jit::Value& value,
                  absl::FunctionRef<bool(const torch::jit::Use& use)> hands_on,
                  absl::FunctionRef<bool(const torch::jit::Use& use)> found);

// Searches behind several values of one graph, which must not change in the
// meantime. What an earlier search went through without success is not visited
// again: if all searches fail, they take time linear in the size of the graph.
class UseSearch {
 public:
  // Both functions are those of HasUseBehind, and must exist for longer than
  // the object.
  UseSearch(absl::FunctionRef<bool(const torch::jit::Use& use)> hands_on,
            absl::FunctionRef<bool(const torch::jit::Use& use)> found)
      : hands_on_(hands_on), found_(found) {}

  // Returns the first use behind `value` that `found` is true of.
  std::optional<torch::jit::Use> Find(const torch::jit::Value& value);

  // The number of uses that all searches have visited.
  int64_t visited() const { return visited_; }

 private:
  friend class Follower;

  // Where a value is: in the value itself or, if that is a container, in its
  // element with this index; below 0 in any of its elements.
  using Spot = std::pair<const torch::jit::Value*, int64_t>;
  using Spots = absl::flat_hash_set<Spot>;

  absl::FunctionRef<bool(const torch::jit::Use& use)> hands_on_;
  absl::FunctionRef<bool(const torch::jit::Use& use)> found_;
  // What has no such use behind it.
  Spots nothing_behind_;
  int64_t visited_ = 0;
};

}  // namespace ns

#endif  // IR_GRAPH_USES_BEHIND_H_
