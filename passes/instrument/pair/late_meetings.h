// Lets a listener of Interleave work on the complete host.
#ifndef PASSES_INSTRUMENT_PAIR_LATE_MEETINGS_H_
#define PASSES_INSTRUMENT_PAIR_LATE_MEETINGS_H_

#include <cstddef>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "passes/instrument/pair/interleave.h"

namespace torch::jit {
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// Records the calls of Interleave, and makes them again when all nodes have
// been copied. Until then the host lacks the ops that come later, and what it
// shows of a value can be wrong. While the body of this loop is copied, nothing
// appends to the copy of %list, which then looks like a list of %x alone:
//
//   %list : Tensor[] = prim::ListConstruct(%x)
//   prim::Loop(%n, %true)
//     block0(%i):
//       %s : Tensor = aten::stack(%list, %zero)     # meets its counterpart
//       %same : Tensor[] = aten::append(%list, %s)
//       -> (%true)
class LateMeetings final : public MeetingListener {
 public:
  using Nodes = std::vector<const torch::jit::Node*>;

  // `copies_a` and `copies_b` are those that Interleave fills in; they must
  // outlive the object. Element i of `nodes_of_a` and of `nodes_of_b` are the
  // nodes of that graph that the listener looks up for point i.
  LateMeetings(GraphCopies& copies_a, GraphCopies& copies_b,
               std::vector<Nodes> nodes_of_a, std::vector<Nodes> nodes_of_b);

  absl::Status Meet(size_t point, torch::jit::Value* a, torch::jit::Value* b,
                    torch::jit::Node* place) override;
  absl::Status PassBy(size_t point, bool is_b, torch::jit::Value* value,
                      bool apart, torch::jit::Node* place) override;

  // Makes the recorded calls to `listener`, in their order and with their
  // values. `place` is where it was, and GraphCopies::nodes maps the nodes of
  // the point as it did then. Call it once, after Interleave. Error: the first
  // that `listener` returns.
  absl::Status Replay(MeetingListener& listener);

 private:
  // The copies of nodes; null where a node had none.
  using NodeCopies =
      std::vector<std::pair<const torch::jit::Node*, torch::jit::Node*>>;

  struct Call {
    size_t point;
    // Null for a value that does not come by.
    torch::jit::Value* a;
    torch::jit::Value* b;
    bool apart;
    // Marks the place; goes away with Replay.
    torch::jit::Node* anchor;
    NodeCopies of_a;
    NodeCopies of_b;
  };

  void Record(size_t point, torch::jit::Value* a, torch::jit::Value* b,
              bool apart, torch::jit::Node* place);

  GraphCopies& copies_a_;
  GraphCopies& copies_b_;
  const std::vector<Nodes> nodes_of_a_;
  const std::vector<Nodes> nodes_of_b_;
  std::vector<Call> calls_;
};

}  // namespace ns

#endif  // PASSES_INSTRUMENT_PAIR_LATE_MEETINGS_H_
