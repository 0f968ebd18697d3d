// Inserts a stopwatch into a model, which times its nodes as it runs.
#ifndef PASSES_INSTRUMENT_INSERT_TIMERS_H_
#define PASSES_INSTRUMENT_INSERT_TIMERS_H_

#include <cstddef>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "ir/model/model_graph.h"
#include "passes/runtime/lap_timer.h"

namespace torch::jit {
struct Node;
}  // namespace torch::jit

namespace ns {

// Returns the slot of a node, below the number of slots.
using SlotOfNode = absl::FunctionRef<size_t(const torch::jit::Node& node)>;

// Inserts, at the beginning of the graph of `model`, and after each node that
// computes,
//
//   %timer = prim::GetAttr[name="ns_timer_0"](%self)
//   %done = prim::CallMethod[name="lap"](%timer, %slot)
//
// and returns the timer, with `slots` slots for the nodes and one more, the
// last, for what runs before the first node. Constants, attributes, and nodes
// that contain blocks are not timed; the nodes in the blocks are. Call Start on
// the timer before each run: afterwards the slots contain the microseconds of
// that run. A call adds some tenths of a microsecond to the node after it.
//
// Error: a graph without a module.
absl::StatusOr<LapTimerPtr> InsertTimers(ModelGraph& model, size_t slots,
                                         SlotOfNode slot_of);

}  // namespace ns

#endif  // PASSES_INSTRUMENT_INSERT_TIMERS_H_
