// Inserts calls of ops into a graph, or leaves the graph as it was.
//
// Graph::insert of LibTorch throws where no overload of the op takes the
// arguments, and leaves the constants behind that it has made for them.
#ifndef IR_GRAPH_INSERT_OP_H_
#define IR_GRAPH_INSERT_OP_H_

#include <torch/csrc/jit/ir/ir.h>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace ns {

// Calls `op`, "aten::clamp", at the insertion point of `graph`, and returns its
// output or, when it has several, a tuple of them. Arguments that are no values
// of the graph become constants. `named` are arguments that are given by name.
//
//   NS_ASSIGN_OR_RETURN(Value* clamp,
//                       InsertOp(graph, "aten::clamp", {x, 0.0, 6.0}));
//
// Error: "aten::clamp does not take (str, float, float)", or an argument that
// cannot be a constant. The graph is then as it was.
absl::StatusOr<torch::jit::Value*> InsertOp(
    torch::jit::Graph& graph, absl::string_view op,
    absl::Span<const torch::jit::NamedValue> arguments,
    absl::Span<const torch::jit::NamedValue> named = {});

// Puts `node`, which calls an op and is in no block yet, at the insertion point
// of its graph, and returns it. Error: no overload of the op takes the node's
// inputs; `node` is then destroyed.
absl::StatusOr<torch::jit::Node*> InsertNode(torch::jit::Node* node);

// Destroys the nodes between `before` and `place`, which were inserted there.
void DestroyBetween(const torch::jit::Node& before, torch::jit::Node& place);

// Runs `insert` with the insertion point in front of `place`, and returns what
// it returns, an absl::StatusOr. After an error, what it inserted there is
// removed.
template <typename Insert>
auto InsertOrTakeBack(torch::jit::Node& place, Insert&& insert) {
  const torch::jit::WithInsertPoint in_front(&place);
  const torch::jit::Node& before = *place.prev();
  auto inserted = insert();
  if (!inserted.ok()) {
    DestroyBetween(before, place);
  }
  return inserted;
}

}  // namespace ns

#endif  // IR_GRAPH_INSERT_OP_H_
