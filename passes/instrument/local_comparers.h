// Compares what stands beside the layers of B in a graph of two models: their
// shadows, and what else tells of the local error.
#ifndef PASSES_INSTRUMENT_LOCAL_COMPARERS_H_
#define PASSES_INSTRUMENT_LOCAL_COMPARERS_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "ir/model_graph.h"
#include "passes/analysis/subgraph.h"
#include "passes/analysis/value_facts.h"
#include "passes/instrument/attached_comparer.h"
#include "passes/instrument/interleave.h"
#include "passes/instrument/pair_plan.h"
#include "passes/instrument/paired_models.h"
#include "passes/instrument/shadow_inserter.h"
#include "passes/matching/graph_matcher.h"
#include "passes/rewrite/copy_subgraph.h"

namespace torch::jit {
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// Matches are given by their index. Each method is called as the copies of a
// match's nodes come by, once for each copy; the newest counts.
class LocalComparers {
 public:
  // The graph of `host` gets copies of the nodes of A and B, those of B by way
  // of `copies_b`. `counterparts` are values of A, and copies of B's;
  // `attached` counts the comparers that hang on `host`. All must outlive the
  // object.
  LocalComparers(const ModelGraph& a, const ModelGraph& b,
                 const MatchResult& matches, const PairPlan& plan,
                 ModelGraph& host, const GraphCopies& copies_b,
                 ValueCounterparts& counterparts, int& attached);

  // Compares the quantized op of a match with a reference kernel, where the
  // plan says so and there is one.
  absl::Status CompareKernel(size_t match);

  // Puts the shadow of a match beside `b`, the copy of B's output.
  void MakeShadow(size_t match, torch::jit::Value* b);

  // The newest shadow; null where it cannot be made.
  const InsertedShadow* ShadowOf(size_t match) const;

  // Compares with the first tensor of the newest shadow, `shadow`, what the
  // plan asks for besides `y`, the tensor of B: parts and a variant. `b` is as
  // above. Calls stand in front of `place`.
  absl::Status CompareWithShadow(size_t match, const torch::jit::Value& b,
                                 torch::jit::Value* shadow,
                                 torch::jit::Value* y, torch::jit::Node* place);

  // Remembers a copy of a node of A that B may have in quantized form.
  void NoteFloatNode(size_t match, torch::jit::Node* node);
  // Those that it has.
  const absl::flat_hash_set<torch::jit::Node*>& quantized_elsewhere() const {
    return quantized_elsewhere_;
  }

  // Whether a shadow was to be made and could not.
  bool LacksShadow(size_t match) const;

  // Completes the shadows; comes last. Error: that of ShadowInserter::Finish.
  absl::Status Finish();

  // Adds one PairComparers for each match, with the comparers from here, and
  // says what could not be compared.
  void HandOver(PairedModels& pair) const;

 private:
  struct OfMatch {
    AttachedComparer kernel;
    AttachedComparer variant;
    AttachedComparer weight_only;
    AttachedComparer activation_only;
    std::optional<InsertedShadow> shadow;
    // Why there is no shadow, and no reference kernel.
    std::string not_shadowed;
    std::string no_reference;
  };

  absl::Status CompareVariant(size_t index, const torch::jit::Value& b,
                              torch::jit::Value* shadow,
                              torch::jit::Node* place);
  absl::Status CompareParts(size_t index, torch::jit::Value* shadow,
                            torch::jit::Value* y, torch::jit::Node* place);
  // The newest copy of a subgraph of B; nothing where there is none of a node
  // of its own.
  std::optional<Subgraph> CopyOf(const Subgraph& original) const;

  const MatchResult& matches_;
  const PairPlan& plan_;
  ModelGraph& host_;
  const GraphCopies& copies_b_;
  ValueCounterparts& counterparts_;
  ShadowInserter shadows_;
  // What is known of the values of B; with kernels and parts only.
  std::optional<ValueFacts> facts_b_;
  std::vector<OfMatch> comparers_;
  absl::flat_hash_set<torch::jit::Node*> quantized_elsewhere_;
};

}  // namespace ns

#endif  // PASSES_INSTRUMENT_LOCAL_COMPARERS_H_
