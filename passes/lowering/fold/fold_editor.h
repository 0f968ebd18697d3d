// What all parts of fold-reference-quantization do to a graph.
#ifndef PASSES_LOWERING_FOLD_FOLD_EDITOR_H_
#define PASSES_LOWERING_FOLD_FOLD_EDITOR_H_

#include <functional>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/graph_editor.h"
#include "ir/pass_context.h"
#include "passes/analysis/value_facts.h"

namespace torch::jit {
struct Graph;
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// One run on one graph, which is well formed again when this is destroyed.
class FoldEditor {
 public:
  FoldEditor(torch::jit::Graph& graph, PassContext& context);
  ~FoldEditor();

  torch::jit::Graph& graph() const { return graph_; }
  // Learns of what TryInsert inserts; who inserts otherwise lets it learn.
  ValueFacts& facts() { return facts_; }
  const ValueFacts& facts() const { return facts_; }

  // Whether Replace or NoteChange was called.
  bool changed() const { return changed_; }
  void NoteChange() { changed_ = true; }

  // Runs `insert` with the insertion point in front of `place`, and returns
  // what it returns. What it inserted gets the module path of `original`, the
  // op that it stands for. On an error it is taken back, null is returned, and
  // `original` is rejected with that reason.
  torch::jit::Value* TryInsert(
      torch::jit::Node* place, torch::jit::Node* original,
      const std::function<absl::StatusOr<torch::jit::Value*>()>& insert);

  // Lets `replacement` take the place and the name of `value`, and drops what
  // is not used any more.
  void Replace(torch::jit::Value* value, torch::jit::Value* replacement);

  // Tells that `now` does what `node` did, which stands between values that
  // Replace exchanges.
  void NoteReplaced(const torch::jit::Node& node, torch::jit::Node& now);

  // Drops `node`, and what it alone used, when nothing uses it. Dropped nodes
  // stay where they are, without inputs, until this object is destroyed: their
  // addresses, which are keys, do not come back as those of other nodes.
  void DropUnused(torch::jit::Node* node);
  bool WasDropped(const torch::jit::Node* node) const {
    return dropped_.contains(const_cast<torch::jit::Node*>(node));
  }

  // Whether some op writes to the tensors that `node` takes or gives, or to the
  // codes that its inputs are dequantized from.
  bool HasWriters(const torch::jit::Node& node) const;

  // The refusal (ir/refusal.h) that says why `node` stays a float op: the last
  // one given; OK when there was none.
  void Reject(const torch::jit::Node* node, absl::Status refusal);
  absl::Status Rejection(const torch::jit::Node* node) const;

 private:
  torch::jit::Graph& graph_;
  PassContext& context_;
  GraphEditor editor_;
  ValueFacts facts_;
  absl::flat_hash_map<const torch::jit::Node*, absl::Status> rejected_;
  absl::flat_hash_set<torch::jit::Node*> dropped_;
  bool changed_ = false;
};

}  // namespace ns

#endif  // PASSES_LOWERING_FOLD_FOLD_EDITOR_H_
