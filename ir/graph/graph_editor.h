// Changes a graph without losing module paths, source lines and names of
// values.
#ifndef IR_GRAPH_GRAPH_EDITOR_H_
#define IR_GRAPH_GRAPH_EDITOR_H_

#include <torch/csrc/jit/ir/ir.h>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace ns {

class PassContext;

// Edits a graph so that what takes the place of an op keeps its module path
// (ir/graph/module_path.h), its source line and the name of its value. It tells
// the listeners of the pass context (ScopedReplacementListener in
// ir/graph/pass_context.h) which value takes the place of which: that is how
// matches follow (passes/matching/matches/match_follower.h).
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
  // `context` may be null: then nobody is told. Both must outlive the object.
  GraphEditor(torch::jit::Graph& graph, PassContext* context)
      : graph_(graph), context_(context) {}

  torch::jit::Graph& graph() const { return graph_; }

  // Inserts a call of `op`, "aten::clamp", in front of `place`, and returns its
  // output or, when it has several, a tuple of them. Arguments that are no
  // values of the graph become constants. `named` are arguments that are given
  // by name. All that is inserted has the module path and source line of
  // `place`. Error: as InsertOp (ir/graph/insert_op.h); the graph is then as it
  // was.
  absl::StatusOr<torch::jit::Value*> InsertBefore(
      torch::jit::Node& place, absl::string_view op,
      absl::Span<const torch::jit::NamedValue> arguments,
      absl::Span<const torch::jit::NamedValue> named = {});

  // Puts `node`, which is in no block yet, in front of `place`, with the module
  // path and source line of `original`. Returns it.
  torch::jit::Node* InsertBefore(torch::jit::Node& place,
                                 torch::jit::Node* node,
                                 const torch::jit::Node& original);

  // Makes all users of `value` use `replacement`. `replacement` may not be
  // computed from `value`, as its own node would become a user of it. It takes
  // the name of `value` unless it has a name. The node of `value` stays, and is
  // to be destroyed or left unused. Listeners are not told where either value
  // is an input of a block or graph.
  void Replace(torch::jit::Value& value, torch::jit::Value& replacement);

  // Replaces `node`, which has one output, by the node of `replacement`, which
  // was made for that and stands in front of it. That node gets the module path
  // and source line of `node`, and `replacement` the type of its output and, as
  // in Replace, its name. Destroys `node`. To replace it by a value that was
  // there before, such as its input, use Replace.
  void ReplaceNode(torch::jit::Node& node, torch::jit::Value& replacement);

 private:
  torch::jit::Graph& graph_;
  PassContext* const context_;
};

}  // namespace ns

#endif  // IR_GRAPH_GRAPH_EDITOR_H_
