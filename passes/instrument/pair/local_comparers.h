// Compares the layers of B, in a graph of two models, with what shows their
// local error: shadows, and reference kernels.
#ifndef PASSES_INSTRUMENT_PAIR_LOCAL_COMPARERS_H_
#define PASSES_INSTRUMENT_PAIR_LOCAL_COMPARERS_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "ir/model/model_graph.h"
#include "llvm/ADT/DenseSet.h"
#include "passes/analysis/subgraph.h"
#include "passes/analysis/value_facts.h"
#include "passes/instrument/pair/attached_comparer.h"
#include "passes/instrument/pair/interleave.h"
#include "passes/instrument/pair/pair_plan.h"
#include "passes/instrument/pair/paired_models.h"
#include "passes/instrument/shadow_inserter.h"
#include "passes/matching/graph_matcher.h"
#include "passes/rewrite/copy_subgraph.h"

namespace torch::jit {
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// Inserts the shadows and comparers of matches into a host that Interleave
// (interleave.h) has copied both models to. Matches are given by their index. A
// part of B may be copied several times; the methods are called once for each
// copy, which `copies_b` maps the nodes of the match to at that time
// (late_meetings.h). Calls of one match go to the same comparers.
class LocalComparers {
 public:
  // `host` is the model that has the copies; `copies_b` are those of B.
  // `counterparts` maps values of A to the copies of B's values that stand for
  // them; MakeShadow adds to it. `attached` counts the comparers that hang on
  // `host`. All must outlive the object.
  LocalComparers(const ModelGraph& a, const ModelGraph& b,
                 const MatchResult& matches, const PairPlan& plan,
                 ModelGraph& host, const GraphCopies& copies_b,
                 ValueCounterparts& counterparts, int& attached);

  // Compares the quantized op of a match with a reference kernel, where the
  // plan asks for it and there is one. Error: as AttachedComparer::Call.
  absl::Status CompareKernel(size_t match);

  // Inserts the shadow of a match in front of its copy in B; `b` is the output
  // of that copy. Where it cannot be made, ShadowOf returns null.
  void MakeShadow(size_t match, torch::jit::Value* b);

  // What the last MakeShadow of the match has made; null for none.
  const InsertedShadow* ShadowOf(size_t match) const;

  // Compares `shadow`, the first tensor of ShadowOf(match), which must not be
  // null, with the parts and the variant that the plan asks for. `b` is as
  // above, `y` its first tensor. The calls stand in front of `place`.
  absl::Status CompareWithShadow(size_t match, const torch::jit::Value& b,
                                 torch::jit::Value* shadow,
                                 torch::jit::Value* y, torch::jit::Node* place);

  // Adds `node`, a copy of a node of A in this match, to quantized_elsewhere()
  // if the base op of B's subgraph is a quantized one.
  void NoteFloatNode(size_t match, torch::jit::Node* node);
  // The float nodes of the host, those of shadows included, that B has in
  // quantized form.
  const llvm::DenseSet<torch::jit::Node*>& quantized_elsewhere() const {
    return quantized_elsewhere_;
  }

  // Whether a shadow could not be made for one of the copies.
  bool LacksShadow(size_t match) const;

  // Completes the shadows, once all copies are made. Error: that of
  // ShadowInserter::Finish.
  absl::Status Finish();

  // Appends one PairComparers for each match to pair.comparers, with the
  // comparers from here, and adds to pair.not_shadowed and pair.no_reference.
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
  // The copy of a subgraph of B; nothing where there is none of a node of its
  // own.
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
  llvm::DenseSet<torch::jit::Node*> quantized_elsewhere_;
};

}  // namespace ns

#endif  // PASSES_INSTRUMENT_PAIR_LOCAL_COMPARERS_H_
