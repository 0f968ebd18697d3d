// Makes one graph of two that runs both in step.
#ifndef PASSES_INSTRUMENT_INTERLEAVE_H_
#define PASSES_INSTRUMENT_INTERLEAVE_H_

#include <cstddef>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "passes/instrument/meeting_plan.h"

namespace torch::jit {
struct Graph;
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// What stands for the nodes and values of a graph in another: of what was
// copied several times, the newest copy. Control flow that runs as one with
// that of the other graph has none.
struct GraphCopies {
  absl::flat_hash_map<const torch::jit::Value*, torch::jit::Value*> values;
  absl::flat_hash_map<const torch::jit::Node*, torch::jit::Node*> nodes;
};

// Told, while the graph is made, where the values of meeting points come by.
// May insert nodes in front of `place`, where they can be used and nothing has
// overwritten them.
class MeetingListener {
 public:
  virtual ~MeetingListener() = default;

  // Both are at hand. Of a list or tuple of A that had to wait for B, `a` is
  // the tensor that meets (MeetingPoint::place_a).
  virtual absl::Status Meet(size_t point, torch::jit::Value* a,
                            torch::jit::Value* b, torch::jit::Node* place) = 0;

  // The value of one side is. The other comes by at another time when the
  // values are `apart`; else it does not, as the models took different ways.
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
// for as long as both go on; where they do not agree, each runs by itself. In:
// what stands for the inputs of both graphs, which are not changed. Out: for
// all their values.
absl::Status Interleave(torch::jit::Graph& a, torch::jit::Graph& b,
                        absl::Span<const MeetingPoint> points,
                        torch::jit::Graph& host, GraphCopies& copies_a,
                        GraphCopies& copies_b, MeetingListener& listener);

}  // namespace ns

#endif  // PASSES_INSTRUMENT_INTERLEAVE_H_
