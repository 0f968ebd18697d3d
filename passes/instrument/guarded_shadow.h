// Keeps a shadow that fails from ending the run of the model it stands in.
#ifndef PASSES_INSTRUMENT_GUARDED_SHADOW_H_
#define PASSES_INSTRUMENT_GUARDED_SHADOW_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/model_graph.h"

namespace torch::jit {
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// Nodes of a graph that compute a shadow. They are marked first, so that other
// rewrites see them as what they are, and moved to a method of their own last:
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
// where the module's method `ns_shadow_0` computes the shadow. Where that fails
// as the model runs, %made is false, and the guard knows the reason
// (passes/runtime/loggers/shadow_guard.h).
class GuardedShadow {
 public:
  // Marks the nodes from `first` to the one in front of `end`, all of one block
  // of the graph of `host`. `guard` is the attribute of a ShadowGuard, which
  // several shadows may share. Error: there is no such attribute.
  static absl::StatusOr<GuardedShadow> Mark(ModelGraph& host,
                                            const std::string& guard,
                                            torch::jit::Node* first,
                                            torch::jit::Node* end);

  // In front of which node to insert what uses tensors of the shadow, so that
  // it runs at `place`, behind the shadow, where the shadow could be made.
  torch::jit::Node* PlaceWhenMade(torch::jit::Node* place) const;

  // Moves the marked nodes to a method of `host`, the same as before. Comes
  // last: the nodes are gone then. Error: something but tensors of the shadow
  // is used outside of it, which is a fault of ours.
  absl::Status MoveToMethod(ModelGraph& host);

 private:
  GuardedShadow() = default;

  // Calls of the guard's methods around the shadow's nodes.
  torch::jit::Node* begin_ = nullptr;
  torch::jit::Node* end_ = nullptr;
};

}  // namespace ns

#endif  // PASSES_INSTRUMENT_GUARDED_SHADOW_H_
