// What a search chooses: for each layer of a float model, float or one of the
// candidates.
#ifndef NS_SEARCH_SEARCH_SPACE_H_
#define NS_SEARCH_SEARCH_SPACE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/graph/layer_id.h"
#include "ir/model/model_graph.h"
#include "llvm/ADT/DenseSet.h"
#include "ns/quantization/model/quantize_options.h"
#include "ns/search/search_candidates.h"
#include "passes/quantization/layers/float_subgraphs.h"
#include "passes/quantization/observe/observer_plan.h"
#include "passes/quantization/observe/prepared_model.h"
#include "passes/quantization/qconfig/qconfig_mapping.h"

namespace ns {

// A layer with a choice. Layers that hand on the scale of their input (pools,
// clamps) have none: they run in int8 where their input is quantized.
struct SearchLayer {
  // Its place in SearchSpace::subgraphs().
  size_t subgraph = 0;
  // The candidates that have a kernel for it, by their places in
  // SearchSpace::candidates(). Not empty.
  std::vector<int> candidates;
};

// For each of SearchSpace::layers(), 0 for float, or i + 1 for
// SearchLayer::candidates[i].
using RecipeChoices = std::vector<int>;

class SearchSpace {
 public:
  // `options` are those that models are quantized with; their mapping is not
  // used. Layers that they keep in float have no choice. Nor does a layer have
  // a candidate with which its pair sums could saturate on the target
  // (passes/quantization/layers/layer_saturation.h): no noise model foresees
  // that. Errors: what PrepareModel refuses; a model without a layer that has a
  // choice.
  static absl::StatusOr<SearchSpace> Create(
      const ModelGraph& model, const QuantizeOptions& options,
      std::vector<SearchCandidate> candidates);

  // The model as PrepareModel makes it, without observers: batch norms are
  // folded. All nodes and values below are of this graph. Its ops have the ids
  // of the layers (MarkLayers).
  const ModelGraph& base() const { return *base_; }
  // All its layers, in order of execution.
  const std::vector<FloatSubgraph>& subgraphs() const {
    return planner_->layers();
  }

  // Those of Create. In the mapping of each, rules have been added that keep in
  // float the layers that cannot have it.
  const std::vector<SearchCandidate>& candidates() const { return candidates_; }
  const std::vector<SearchLayer>& layers() const { return layers_; }
  const std::vector<SkippedChoice>& skipped() const { return skipped_; }
  const QuantizeOptions& options() const { return options_; }

  // Where values are observed when all layers have the candidate.
  const ObserverPlan& UniformPlan(int candidate) const {
    return uniform_[static_cast<size_t>(candidate)];
  }

  // These take an index of layers() and its entry of RecipeChoices. "float" or
  // the candidate's name.
  std::string NameOf(size_t layer, int choice) const;
  // The candidate's place in candidates(); -1 for float.
  int CandidateOf(size_t layer, int choice) const;

  // The mapping with which `ns quantize` makes the model of these choices: that
  // of the first candidate, and a rule for each layer that differs. It also has
  // the rules for QuantizeOptions::keep, which need not be given again.
  QConfigMapping MappingOf(const RecipeChoices& choices) const;
  // options() with MappingOf(choices).
  QuantizeOptions OptionsOf(const RecipeChoices& choices) const;

  // Where values are observed with MappingOf(choices).
  ObserverPlan PlanOf(const RecipeChoices& choices) const;

  // How many layers could have pair sums that saturate on the target with these
  // choices, of which `plan` is PlanOf: their weights allow it, and a neighbour
  // with another candidate makes them take values of 8 bits.
  int64_t CountSaturating(const RecipeChoices& choices,
                          const ObserverPlan& plan) const;

  // The plan by which PrepareModel has prepared the model with `mapping`;
  // `record` is what it attached to the result (AttachedPreparedModel).
  ObserverPlan PlanOfPrepared(const QConfigMapping& mapping,
                              const PreparedModel& record) const;

 private:
  explicit SearchSpace(ModelGraph base)
      : base_(std::make_unique<ModelGraph>(std::move(base))) {}

  void KeepInFloat(const std::vector<std::string>& keep);
  absl::Status PlanCandidates(const ModelGraph& model);
  // Plans the candidate anew, without the choices that could saturate.
  absl::Status PlanCandidate(const ModelGraph& model, size_t candidate);
  bool LeaveOutSaturating(size_t candidate, const ObserverPlan& plan);
  void FindLayers();
  absl::Status NoLayers(const std::vector<std::string>& keep) const;
  ObserverPlan Plan(const QConfigMapping& mapping,
                    std::map<std::string, std::string> float_layers) const;

  std::unique_ptr<ModelGraph> base_;
  std::unique_ptr<ObserverPlanner> planner_;
  QuantizeOptions options_;
  std::vector<SearchCandidate> candidates_;
  std::vector<ObserverPlan> uniform_;
  // Names of layers that stay float with each candidate, and why.
  std::map<std::string, std::string> always_float_;
  // Of the candidate planned last.
  std::map<std::string, std::string> stayed_float_;
  // Layers and candidates that could saturate, and why.
  std::map<std::pair<LayerId, size_t>, std::string> left_out_;
  // Of each candidate: what has weights that make pair sums saturate for some
  // input of 8 bits.
  std::vector<llvm::DenseSet<const torch::jit::Node*>> saturating_;
  std::vector<SearchLayer> layers_;
  std::vector<SkippedChoice> skipped_;
};

}  // namespace ns

#endif  // NS_SEARCH_SEARCH_SPACE_H_
