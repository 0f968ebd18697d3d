// Finds which nodes of two models correspond.
#ifndef PASSES_MATCHING_GRAPH_MATCHER_H_
#define PASSES_MATCHING_GRAPH_MATCHER_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/model_graph.h"
#include "passes/analysis/subgraph.h"
#include "passes/ops/op_relations.h"
#include "passes/ops/unmatchable_ops.h"

namespace torch::jit {
struct Block;
struct Value;
}  // namespace torch::jit

namespace ns {

enum class MatchingMode {
  // Never fails as a whole: same module path and call first, then equal
  // weights where names are missing, then data flow from what is matched, then
  // an order-preserving alignment of what lies between, block by block. What
  // finds no partner is listed with a reason.
  kAligned,
  // As PyTorch's numeric suite: walks back from the outputs of both graphs in
  // step; the first pair that is not related is an error.
  kStrict,
};

// Whose names layers get.
enum class LayerNaming {
  kByB,  // the quantized model's
  kByA,  // the float model's
};

struct MatchOptions {
  MatchingMode mode = MatchingMode::kAligned;
  OpRelations relations;
  // What is no base op of a match, nor listed as unmatched. An activation or
  // norm among these may still be part of the subgraph of the op before it.
  UnmatchableOps unmatchable;
  // What SubgraphMatch::name is: the name of that side.
  LayerNaming naming = LayerNaming::kByB;
};

// Where one model's side of a pair is, and what it is called.
struct MatchedSide {
  Subgraph subgraph;
  // The value to compare: an output of subgraph.end; for a quantize point, the
  // float value that is quantized (subgraph is empty where that is an input of
  // the graph).
  torch::jit::Value* output = nullptr;
  // Of a quantize point inside control flow, when `output` comes from outside
  // of it: the block at whose beginning to compare, so that it is compared as
  // often as it is quantized. Null: compared where it is made.
  torch::jit::Block* compared_in = nullptr;
  // Path of the module that the base op belongs to, or whose code calls it.
  std::string fqn;
  // Taken from the other model: this one has no names.
  bool fqn_inferred = false;
  // What the layer is called by the names of this model, unique among the
  // matches; by those of the other one where this one has none. A quantize
  // point is called after the value of this model that is quantized.
  std::string name;
};

struct SubgraphMatch {
  // That of the side that MatchOptions::naming says. Unique; tools/README.md,
  // "Names", says how it is made.
  std::string name;
  MatchedSide a;
  MatchedSide b;
  // True when b is an aten::quantize_per_tensor and a the value it quantizes.
  bool is_quantize_point = false;
  // Why the inputs of the two sides do not correspond, as behind a layer that
  // only one model has: the outputs then differ, whatever the ops do. Empty for
  // most.
  std::string unpaired_input;
};

struct UnmatchedOp {
  torch::jit::Node* node = nullptr;
  std::string fqn;
  std::string reason;
};

struct MatchResult {
  // In order of execution of model b.
  std::vector<SubgraphMatch> matches;
  // In order of execution.
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
