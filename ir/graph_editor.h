// Changes a graph such that readers and later passes still find their way in
// it.
#ifndef IR_GRAPH_EDITOR_H_
#define IR_GRAPH_EDITOR_H_

#include <torch/csrc/jit/ir/ir.h>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace ns {

class PassContext;

// Edits a graph so that what takes the place of an op keeps its module path
// (ir/module_path.h), its source line and the name of its value. Listeners of
// the pass context are told, so that matches follow
// (passes/matching/match_follower.h).
//
//   GraphEditor editor(model.graph(), &context);
//   NS_ASSIGN_OR_RETURN(Value* clamp, editor.InsertBefore(
//       *relu6, "aten::clamp", {relu6->input(0), 0.0, 6.0}));
//   editor.ReplaceNode(*relu6, *clamp);
//
//   before  %y : Tensor = aten::relu6(%x)  # model.py:7
//   after   %y : Tensor = aten::clamp(%x, %zero, %six)  # model.py:7
class GraphEditor {
 public:
  // `context` may be null where nobody listens. Both must outlive the object.
  GraphEditor(torch::jit::Graph& graph, PassContext* context)
      : graph_(graph), context_(context) {}

  torch::jit::Graph& graph() const { return graph_; }

  // Calls `op`, "aten::clamp", in front of `place`, and returns its output.
  // Arguments that are no values become constants. The call has the module path
  // and source line of `place`. Error: as InsertOp (ir/insert_op.h).
  absl::StatusOr<torch::jit::Value*> InsertBefore(
      torch::jit::Node& place, absl::string_view op,
      absl::Span<const torch::jit::NamedValue> arguments);

  // Puts `node`, which is in no block yet, in front of `place`, with the module
  // path and source line of `original`. Returns it.
  torch::jit::Node* InsertBefore(torch::jit::Node& place,
                                 torch::jit::Node* node,
                                 const torch::jit::Node& original);

  // Makes all users of `value` use `replacement`, which takes the name of
  // `value` unless it has one. The node of `value` stays, unused.
  void Replace(torch::jit::Value& value, torch::jit::Value& replacement);

  // Replaces `node` by the node of `replacement`, which stands in front of it
  // and takes its module path, its source line, and the type and name of its
  // only output. Destroys `node`.
  void ReplaceNode(torch::jit::Node& node, torch::jit::Value& replacement);

 private:
  torch::jit::Graph& graph_;
  PassContext* const context_;
};

}  // namespace ns

#endif  // IR_GRAPH_EDITOR_H_
