// Lets a model run on when a shadow in it fails. A shadow is a copy of a
// subgraph of another model (add_shadow_loggers.h).
#ifndef PASSES_INSTRUMENT_GUARDED_SHADOW_H_
#define PASSES_INSTRUMENT_GUARDED_SHADOW_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/model/model_graph.h"

namespace torch::jit {
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// The nodes of a graph that compute one shadow. To be used in three steps: Mark
// them; insert what uses their tensors, at PlaceWhenMade; when all else is done
// to the graph, MoveToMethod. In between, other rewrites still see the nodes.
//
//   %guard = prim::GetAttr[name="ns_shadow_guard_0"](%self)
//   %begin = prim::CallMethod[name="begin"](%guard)
//   %float = ns::as_float(%x)
//   %shadow = aten::relu(%float)
//   %made = prim::CallMethod[name="end"](%guard)
//   ... = prim::If(%made)                          # from PlaceWhenMade
//     block0():
//       %logger = prim::GetAttr[name="ns_logger_0"](%self)
//       %logged = prim::CallMethod[name="forward"](%logger, %shadow)
//     block1():
// becomes
//   %guard = prim::GetAttr[name="ns_shadow_guard_0"](%self)
//   %made, %tensors = ns::run_shadow(%guard, %self, "ns_shadow_0", 1, %x)
//   %shadow = aten::__getitem__(%tensors, 0)
//   ... = prim::If(%made)                          # as before
//
// where `ns_shadow_0`, a new method of the module, computes the shadow. If it
// throws while the model runs, %made is false then and in all later runs, and
// the guard has the reason (passes/runtime/loggers/shadow_guard.h).
class GuardedShadow {
 public:
  // Marks the nodes from `first` up to, but without, `end`, by a call of the
  // guard in front of each of the two. `end` is in the same block as `first`;
  // it may be the return node of the block. `guard` is the name of the
  // attribute of host.module() that holds a ShadowGuard. Copies of one shadow,
  // in arms of control flow, may share a guard: when one has failed, none runs
  // any more. Error: there is no such attribute.
  static absl::StatusOr<GuardedShadow> Mark(ModelGraph& host,
                                            const std::string& guard,
                                            torch::jit::Node* first,
                                            torch::jit::Node* end);

  // Puts a prim::If in front of `place`, whose first block runs only when the
  // shadow did not fail, and returns the return node of that block: insert what
  // uses tensors of the shadow in front of it. `place` is a node behind the
  // marked ones. Right behind an earlier call for the same `place`, it returns
  // the same node. Not to be called after MoveToMethod.
  torch::jit::Node* PlaceWhenMade(torch::jit::Node* place) const;

  // Moves the marked nodes to a new method of host.module(). `host` is that of
  // Mark. The nodes are destroyed, so that pointers to them and to their
  // outputs are no longer valid. Error: a value that is not a tensor is used
  // outside of the shadow, which is a fault of this library.
  absl::Status MoveToMethod(ModelGraph& host);

 private:
  GuardedShadow() = default;

  // Calls of the guard's methods around the shadow's nodes.
  torch::jit::Node* begin_ = nullptr;
  torch::jit::Node* end_ = nullptr;
};

}  // namespace ns

#endif  // PASSES_INSTRUMENT_GUARDED_SHADOW_H_
