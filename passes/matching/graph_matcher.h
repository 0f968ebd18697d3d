// Finds which subgraph of a float model corresponds to which of a quantized
// one.
#ifndef PASSES_MATCHING_GRAPH_MATCHER_H_
#define PASSES_MATCHING_GRAPH_MATCHER_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/model/model_graph.h"
#include "passes/analysis/subgraph.h"
#include "passes/ops/op_relations.h"
#include "passes/ops/unmatchable_ops.h"

namespace torch::jit {
struct Block;
struct Value;
}  // namespace torch::jit

namespace ns {

enum class MatchingMode {
  // Never fails as a whole. Nodes with the same module path and call are
  // matched first, then those with equal weights where names are missing, then
  // the data flow is followed from what is matched, and what lies between is
  // aligned in order, block by block. Ops without a partner are listed with a
  // reason.
  kAligned,
  // Matches as PyTorch's numeric suite does: walks back from the outputs of
  // both graphs in step. The first pair that is not related is an error.
  kStrict,
};

// Says which model's names the layers get.
enum class LayerNaming {
  kByB,  // the quantized model's
  kByA,  // the float model's
};

struct MatchOptions {
  MatchingMode mode = MatchingMode::kAligned;
  OpRelations relations;
  // Ops that are no base op of a match, and are not listed as unmatched. An
  // activation or norm among these may still be part of the subgraph of the op
  // before it.
  UnmatchableOps unmatchable;
  // The side whose name becomes SubgraphMatch::name.
  LayerNaming naming = LayerNaming::kByB;
};

// Says where one model's side of a pair is, and what it is called.
struct MatchedSide {
  Subgraph subgraph;
  // The value to compare: an output of subgraph.end. For a quantize point, the
  // float value that is quantized (`subgraph` is empty where that is an input
  // of the graph).
  torch::jit::Value* output = nullptr;
  // The block at whose beginning to compare. It is set for a quantize point
  // inside control flow whose `output` comes from outside of it, so that it is
  // compared as often as it is quantized. Null: the value is compared where it
  // is made.
  torch::jit::Block* compared_in = nullptr;
  // The path of the module that the base op belongs to, or whose code calls it.
  std::string fqn;
  // True where `fqn` comes from the other model, since this one has no names.
  bool fqn_inferred = false;
  // The layer's name by the names of this model, unique among the matches; by
  // those of the other model where this one has none. A quantize point is named
  // after the value of this model that is quantized.
  std::string name;
};

struct SubgraphMatch {
  // The name on the side that MatchOptions::naming says. It is unique;
  // tools/docs/figures.md, "Names", says how it is made.
  std::string name;
  MatchedSide a;
  MatchedSide b;
  // True when b is an aten::quantize_per_tensor and a the value that it
  // quantizes.
  bool is_quantize_point = false;
  // Why the inputs of the two sides do not correspond, such as behind a layer
  // that only one model has: the outputs then differ, whatever the ops do.
  // Mostly empty.
  std::string unpaired_input;
};

struct UnmatchedOp {
  torch::jit::Node* node = nullptr;
  std::string fqn;
  std::string reason;
};

struct MatchResult {
  // The matches in order of execution of model b.
  std::vector<SubgraphMatch> matches;
  // The unmatched ops of each model in order of execution.
  std::vector<UnmatchedOp> unmatched_a;
  std::vector<UnmatchedOp> unmatched_b;
};

// Matches the subgraphs of `a` (the float model) with those of `b` (the
// quantized one). The result points into both graphs, which must outlive it.
//
// Errors: a relation of a module type or function that is a leaf of neither
// model; an unmatchable one that neither model has; in strict mode, two
// subgraphs that are not related, or one model that has more of them than the
// other: the message names both.
absl::StatusOr<MatchResult> MatchSubgraphs(const ModelGraph& a,
                                           const ModelGraph& b,
                                           const MatchOptions& options = {});

}  // namespace ns

#endif  // PASSES_MATCHING_GRAPH_MATCHER_H_
