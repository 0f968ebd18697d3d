#include "passes/instrument/pair/late_meetings.h"

#include <torch/csrc/jit/ir/ir.h>

#include <utility>
#include <vector>

#include "ir/base/status.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;

using NodeCopies = std::vector<std::pair<const Node*, Node*>>;

NodeCopies CopiesOf(const LateMeetings::Nodes& nodes,
                    const GraphCopies& copies) {
  NodeCopies found;
  for (const Node* node : nodes) {
    const auto copy = copies.nodes.find(node);
    found.emplace_back(node,
                       copy == copies.nodes.end() ? nullptr : copy->second);
  }
  return found;
}

void SetCopies(const NodeCopies& of_nodes, GraphCopies& copies) {
  for (const auto& [node, copy] : of_nodes) {
    if (copy == nullptr) {
      copies.nodes.erase(node);
    } else {
      copies.nodes[node] = copy;
    }
  }
}

}  // namespace

LateMeetings::LateMeetings(GraphCopies& copies_a, GraphCopies& copies_b,
                           std::vector<Nodes> nodes_of_a,
                           std::vector<Nodes> nodes_of_b)
    : copies_a_(copies_a),
      copies_b_(copies_b),
      nodes_of_a_(std::move(nodes_of_a)),
      nodes_of_b_(std::move(nodes_of_b)) {}

absl::Status LateMeetings::Meet(size_t point, Value* a, Value* b, Node* place) {
  Record(point, a, b, /*apart=*/false, place);
  return absl::OkStatus();
}

absl::Status LateMeetings::PassBy(size_t point, bool is_b, Value* value,
                                  bool apart, Node* place) {
  Record(point, is_b ? nullptr : value, is_b ? value : nullptr, apart, place);
  return absl::OkStatus();
}

void LateMeetings::Record(size_t point, Value* a, Value* b, bool apart,
                          Node* place) {
  Node* anchor = place->owningGraph()->createNone()->insertBefore(place);
  calls_.push_back({point, a, b, apart, anchor,
                    CopiesOf(nodes_of_a_[point], copies_a_),
                    CopiesOf(nodes_of_b_[point], copies_b_)});
}

absl::Status LateMeetings::Replay(MeetingListener& listener) {
  for (const Call& call : calls_) {
    SetCopies(call.of_a, copies_a_);
    SetCopies(call.of_b, copies_b_);
    const bool is_b = call.b != nullptr;
    NS_RETURN_IF_ERROR(
        call.a != nullptr && is_b
            ? listener.Meet(call.point, call.a, call.b, call.anchor)
            : listener.PassBy(call.point, is_b, is_b ? call.b : call.a,
                              call.apart, call.anchor));
    // What belongs to the next call for this place follows without a gap.
    call.anchor->destroy();
  }
  calls_.clear();
  return absl::OkStatus();
}

}  // namespace ns
