// Holds the state of one run of fold-reference-quantization: the graph edits
// that its parts share, what is known of values, and why ops were rejected.
#ifndef PASSES_LOWERING_FOLD_FOLD_EDITOR_H_
#define PASSES_LOWERING_FOLD_FOLD_EDITOR_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/graph/graph_editor.h"
#include "ir/graph/pass_context.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "passes/analysis/value_facts.h"

namespace torch::jit {
struct Graph;
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// One run on one graph. The graph is well formed again only when this object is
// destroyed, which removes the dropped nodes.
class FoldEditor {
 public:
  // Which ops may be inserted: see FoldReferenceQuantization::Options.
  struct Allowed {
    bool ns_ops = true;
    std::vector<std::string> float_families;
    llvm::DenseSet<const torch::jit::Node*> float_nodes;
    bool chosen_qparams = false;
  };
  FoldEditor(torch::jit::Graph& graph, PassContext& context, Allowed allowed);
  ~FoldEditor();

  torch::jit::Graph& graph() const { return graph_; }
  bool ns_ops() const { return allowed_.ns_ops; }
  bool chosen_qparams() const { return allowed_.chosen_qparams; }

  // A refusal when `node` is to stay in float.
  absl::Status CheckAllowed(const torch::jit::Node& node) const;
  // What is known of the values of the graph. TryInsert updates it; code that
  // inserts nodes in another way must call Learn itself.
  ValueFacts& facts() { return facts_; }
  const ValueFacts& facts() const { return facts_; }

  // Whether the graph changed, as far as Replace and NoteChange know.
  bool changed() const { return changed_; }
  void NoteChange() { changed_ = true; }

  // Runs `insert` with the insertion point in front of `place`, and returns
  // what it returns. Inserted nodes get the module path of `original`, the op
  // whose place they take. On an error, and where `original` is to stay in
  // float, the inserted nodes are removed, null is returned, and `original` is
  // rejected with that reason.
  torch::jit::Value* TryInsert(
      torch::jit::Node* place, torch::jit::Node* original,
      const std::function<absl::StatusOr<torch::jit::Value*>()>& insert);

  // Makes all users of `value` use `replacement`, which also gets its name, and
  // drops the nodes that nothing uses any more.
  void Replace(torch::jit::Value* value, torch::jit::Value* replacement);

  // Tells the listeners of the context that `now` does what `node` did. It is
  // for nodes between the values that Replace exchanges, of which Replace does
  // not know.
  void NoteReplaced(const torch::jit::Node& node, torch::jit::Node& now);

  // Drops `node`, and the nodes that only it used, when nothing uses it.
  // Dropped nodes stay in the graph, without inputs, until this object is
  // destroyed: addresses of nodes are keys here, and must not come back as
  // those of other nodes.
  void DropUnused(torch::jit::Node* node);
  bool WasDropped(const torch::jit::Node* node) const {
    return dropped_.contains(const_cast<torch::jit::Node*>(node));
  }

  // Whether an op in place may write to a tensor that `node` takes or gives, or
  // to a quantized tensor that one of its inputs is dequantized from.
  bool HasWriters(const torch::jit::Node& node) const;

  // Reject notes the refusal (ir/base/refusal.h) that says why `node` stays a
  // float op. Rejection returns the last one noted, and OK when there was none.
  void Reject(const torch::jit::Node* node, absl::Status refusal);
  absl::Status Rejection(const torch::jit::Node* node) const;

 private:
  torch::jit::Graph& graph_;
  PassContext& context_;
  const Allowed allowed_;
  GraphEditor editor_;
  ValueFacts facts_;
  llvm::DenseMap<const torch::jit::Node*, absl::Status> rejected_;
  llvm::DenseSet<torch::jit::Node*> dropped_;
  bool changed_ = false;
};

}  // namespace ns

#endif  // PASSES_LOWERING_FOLD_FOLD_EDITOR_H_
