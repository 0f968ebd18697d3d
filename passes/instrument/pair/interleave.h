// Makes one graph of two that runs both in step.
#ifndef PASSES_INSTRUMENT_PAIR_INTERLEAVE_H_
#define PASSES_INSTRUMENT_PAIR_INTERLEAVE_H_

#include <cstddef>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "llvm/ADT/DenseMap.h"
#include "passes/instrument/pair/meeting_plan.h"

namespace torch::jit {
struct Graph;
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// Maps the values and nodes of a graph to those of the host that stand for
// them. Code inside control flow may be copied several times; then it is the
// copy that was made last. A prim::If or prim::Loop that runs as one with that
// of the other graph has no copy of its own, and is not in `nodes`; its outputs
// are in `values`.
struct GraphCopies {
  llvm::DenseMap<const torch::jit::Value*, torch::jit::Value*> values;
  llvm::DenseMap<const torch::jit::Node*, torch::jit::Node*> nodes;
};

// Is told, while the host is made, where the values of meeting points come by.
// `point` is an index into the `points` of Interleave. Values are those of the
// host, which can be used in front of `place`, where no op in place has
// overwritten them yet: the listener may insert nodes there. An error that it
// returns ends Interleave.
//
// A point whose values can be at hand together gets one call of Meet. Where the
// models may also run the code around it alone, as the conditions of a prim::If
// differ or one prim::Loop has ended, that code is copied again for each
// model, and each such copy gets a call of PassBy. A point whose values can
// never be at hand together (MeetingPlan::apart) gets no Meet, but one PassBy
// for each copy of either value.
class MeetingListener {
 public:
  virtual ~MeetingListener() = default;

  // Both values of the point are at hand: `a` and `b` stand for MeetingPoint::a
  // and ::b, and are lists or tuples where these are. Except that `a` may have
  // come by long before `b`: it is then a clone of the one tensor that meets,
  // MeetingPoint::place_a, even where MeetingPoint::a is a list or tuple.
  virtual absl::Status Meet(size_t point, torch::jit::Value* a,
                            torch::jit::Value* b, torch::jit::Node* place) = 0;

  // Only one value of the point is at hand: that of graph B if `is_b`, and of
  // graph A otherwise. `value` stands for it, and is a list or tuple where it
  // is one. If `apart`, the other value comes by at another place, which gets a
  // call of its own. If not, this is code that one model runs alone, and the
  // other has no value to meet.
  virtual absl::Status PassBy(size_t point, bool is_b, torch::jit::Value* value,
                              bool apart, torch::jit::Node* place) = 0;
};

// Copies the nodes of `a` and `b` to the end of `host`, in an order in which
// the values of `points` are at hand together as soon as possible:
//
//   a: %2 = aten::conv2d(%1, ...)      b: %2 = quantized::conv2d(%1, ...)
//      %3 = aten::conv2d(%2, ...)         %3 = quantized::conv2d(%2, ...)
// becomes
//   %2 = aten::conv2d(%1, ...)
//   %3 = quantized::conv2d(%1, ...)
//   # %2 and %3 meet
//   %4 = aten::conv2d(%2, ...)
//   %5 = quantized::conv2d(%3, ...)
//   # %4 and %5 meet
//
// The nodes of each graph stay in their order. Control flow in which values
// meet runs as one: a prim::If where both conditions agree, and a prim::Loop
// for as long as both go on; where they do not agree, each runs by itself.
//
// `points` are of these two graphs, which are not changed. When it is called,
// `copies_a.values` and `copies_b.values` have a value of `host` for each input
// of their graph, the module among them (ConnectInputs of pair_host.h fills
// them in); when it returns, for all values of the graph. What `host` returns
// is up to the caller.
//
// Error: what the listener returns, or a place_a at which the value of a point
// has no tensor. `host` is then not to be used. Exceptions of LibTorch are not
// caught.
absl::Status Interleave(torch::jit::Graph& a, torch::jit::Graph& b,
                        absl::Span<const MeetingPoint> points,
                        torch::jit::Graph& host, GraphCopies& copies_a,
                        GraphCopies& copies_b, MeetingListener& listener);

}  // namespace ns

#endif  // PASSES_INSTRUMENT_PAIR_INTERLEAVE_H_
