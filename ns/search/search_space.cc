#include "ns/search/search_space.h"

#include <torch/csrc/jit/ir/ir.h>

#include <cstddef>
#include <iterator>
#include <optional>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "ir/base/status.h"
#include "llvm/ADT/DenseMap.h"
#include "ns/quantization/model/quantize_model.h"
#include "ns/quantization/model/quantized_engine.h"
#include "ns/quantization/model/target_mapping.h"
#include "passes/quantization/layers/constant_weights.h"
#include "passes/quantization/layers/int8_form.h"
#include "passes/quantization/layers/keep_list.h"
#include "passes/quantization/layers/layer_rule.h"
#include "passes/quantization/layers/layer_saturation.h"
#include "passes/quantization/qconfig/kernel_support.h"
#include "passes/quantization/qconfig/qconfig.h"

namespace ns {
namespace {

// Names of the layers of `record` that stay float, and why.
std::map<std::string, std::string> FloatLayersOf(const PreparedModel& record) {
  std::map<std::string, std::string> layers;
  for (const FloatLayer& layer : record.report.stayed_float) {
    layers[layer.name] = layer.reason;
  }
  return layers;
}

// Whether pair sums could saturate with some input of 8 bits.
bool CanSaturate(const ObservedWeight& weight, QuantizationTarget target) {
  if (!HasSaturatingKernel(*weight.node, target)) {
    return false;
  }
  const absl::StatusOr<at::Tensor> constant = ConstantTensor(
      *weight.node->input(static_cast<size_t>(weight.input)), "its weight");
  if (!constant.ok() || !constant->defined()) {
    return true;
  }
  const absl::StatusOr<at::Tensor> quantized =
      QuantizedBySpec(*constant, weight.spec);
  return !quantized.ok() || ns::CanSaturate(*weight.node, *quantized, target);
}

// The entry of `keep` for `subgraph`; null for none.
const std::string* KeptBy(const FloatSubgraph& subgraph,
                          const std::vector<std::string>& keep) {
  const auto found = absl::c_find_if(keep, [&](const std::string& entry) {
    return IsKeptBy(subgraph, entry);
  });
  return found == keep.end() ? nullptr : &*found;
}

// Whether a layer chooses by itself whether it runs in int8.
bool HasChoice(const FloatSubgraph& layer) {
  const absl::StatusOr<Int8Form> form = Int8FormOf(*layer.subgraph.base);
  return form.ok() && *form != Int8Form::kRangeOfInput;
}

}  // namespace

absl::StatusOr<SearchSpace> SearchSpace::Create(
    const ModelGraph& model, const QuantizeOptions& options,
    std::vector<SearchCandidate> candidates) {
  const ScopedEngine engine(EngineOf(options.backend));
  QuantizeOptions nothing = options;
  nothing.mapping = QConfigMapping();
  NS_ASSIGN_OR_RETURN(ModelGraph base, PrepareModel(model, nothing));
  DetachPreparedModel(base.module());
  SearchSpace space(std::move(base));
  space.options_ = options;
  space.options_.mapping = std::nullopt;
  space.options_.keep.clear();
  space.candidates_ = std::move(candidates);
  space.planner_ = std::make_unique<ObserverPlanner>(space.base_->graph());
  MarkLayers(space.subgraphs());
  space.KeepInFloat(options.keep);
  NS_RETURN_IF_ERROR(space.PlanCandidates(model));
  space.FindLayers();
  if (space.layers_.empty()) {
    return space.NoLayers(options.keep);
  }
  return space;
}

absl::Status SearchSpace::NoLayers(const std::vector<std::string>& keep) const {
  for (const FloatSubgraph& subgraph : subgraphs()) {
    const std::string* entry = KeptBy(subgraph, keep);
    if (entry != nullptr && HasChoice(subgraph)) {
      return absl::InvalidArgumentError(
          absl::StrCat("no layer is left to choose for: keep '", *entry,
                       "' keeps ", subgraph.name, " in float; keep fewer"));
    }
  }
  const std::string first =
      !skipped_.empty() ? absl::StrCat(": ", skipped_.front().layer, " as ",
                                       skipped_.front().candidate, ": ",
                                       skipped_.front().reason)
      : !always_float_.empty()
          ? absl::StrCat(": ", always_float_.begin()->first, " ",
                         always_float_.begin()->second)
          : "";
  return absl::InvalidArgumentError(
      absl::StrCat("no layer has an int8 kernel for a candidate", first));
}

void SearchSpace::KeepInFloat(const std::vector<std::string>& keep) {
  for (const FloatSubgraph& subgraph : subgraphs()) {
    if (KeptBy(subgraph, keep) == nullptr) {
      continue;
    }
    for (SearchCandidate& candidate : candidates_) {
      SetLayerQConfig(subgraphs(), subgraph, std::nullopt, candidate.mapping);
    }
  }
}

absl::Status SearchSpace::PlanCandidates(const ModelGraph& model) {
  for (size_t i = 0; i < candidates_.size(); ++i) {
    uniform_.emplace_back();
    saturating_.emplace_back();
    NS_RETURN_IF_ERROR(PlanCandidate(model, i));
    // What reads a layer that is left out gets values of its own.
    while (LeaveOutSaturating(i, uniform_.back())) {
      NS_RETURN_IF_ERROR(PlanCandidate(model, i));
    }
    if (i == 0) {
      always_float_ = stayed_float_;
      continue;
    }
    for (auto it = always_float_.begin(); it != always_float_.end();) {
      it = stayed_float_.count(it->first) != 0 ? std::next(it)
                                               : always_float_.erase(it);
    }
  }
  return absl::OkStatus();
}

absl::Status SearchSpace::PlanCandidate(const ModelGraph& model,
                                        size_t candidate) {
  QuantizeOptions options = options_;
  options.mapping = candidates_[candidate].mapping;
  NS_ASSIGN_OR_RETURN(const ModelGraph prepared, PrepareModel(model, options));
  NS_ASSIGN_OR_RETURN(const PreparedModel record,
                      AttachedPreparedModel(prepared.module()));
  uniform_[candidate] = PlanOfPrepared(candidates_[candidate].mapping, record);
  stayed_float_ = FloatLayersOf(record);
  return absl::OkStatus();
}

bool SearchSpace::LeaveOutSaturating(size_t candidate,
                                     const ObserverPlan& plan) {
  const QuantizationTarget target = TargetOf(options_);
  bool is_new = false;
  for (const PlannedLayer& layer : plan.layers) {
    if (layer.weight < 0 ||
        !CanSaturate(plan.weights[static_cast<size_t>(layer.weight)], target)) {
      continue;
    }
    saturating_[candidate].insert(layer.base);
    if (TakesEightBits(plan, layer)) {
      is_new = true;
      left_out_[{layer.id, candidate}] =
          absl::StrCat("its pair sums can saturate on ", TargetName(target),
                       ", as values and weights have 8 bits");
      SetLayerQConfig(subgraphs(), LayerOf(subgraphs(), layer.id), std::nullopt,
                      candidates_[candidate].mapping);
    }
  }
  return is_new;
}

int64_t SearchSpace::CountSaturating(const RecipeChoices& choices,
                                     const ObserverPlan& plan) const {
  if (absl::c_all_of(saturating_,
                     [](const auto& layers) { return layers.empty(); })) {
    return 0;
  }
  llvm::DenseMap<const torch::jit::Node*, size_t> candidate_of;
  for (size_t i = 0; i < choices.size(); ++i) {
    if (const int candidate = CandidateOf(i, choices[i]); candidate >= 0) {
      candidate_of[subgraphs()[layers_[i].subgraph].subgraph.base] =
          static_cast<size_t>(candidate);
    }
  }
  return absl::c_count_if(plan.layers, [&](const PlannedLayer& layer) {
    const auto found = candidate_of.find(layer.base);
    return found != candidate_of.end() &&
           saturating_[found->second].count(layer.base) != 0 &&
           TakesEightBits(plan, layer);
  });
}

void SearchSpace::FindLayers() {
  std::vector<std::set<LayerId>> planned(candidates_.size());
  for (size_t i = 0; i < candidates_.size(); ++i) {
    for (const PlannedLayer& layer : uniform_[i].layers) {
      planned[i].insert(layer.id);
    }
  }
  for (size_t i = 0; i < subgraphs().size(); ++i) {
    const FloatSubgraph& subgraph = subgraphs()[i];
    SearchLayer layer{i, {}};
    for (size_t candidate = 0; candidate < candidates_.size(); ++candidate) {
      if (planned[candidate].count(subgraph.id) != 0) {
        layer.candidates.push_back(static_cast<int>(candidate));
        continue;
      }
      if (const auto found = left_out_.find({subgraph.id, candidate});
          found != left_out_.end()) {
        skipped_.push_back(
            {subgraph.name, candidates_[candidate].name, found->second});
        continue;
      }
      const OptionalQConfig qconfig =
          candidates_[candidate].mapping.Choose(subgraph).qconfig;
      const absl::Status kernel =
          qconfig ? CheckKernel(*qconfig, subgraph.op, subgraph.family)
                  : absl::OkStatus();
      if (!kernel.ok()) {
        skipped_.push_back({subgraph.name, candidates_[candidate].name,
                            std::string(kernel.message())});
      }
    }
    if (!layer.candidates.empty() && HasChoice(subgraph)) {
      layers_.push_back(std::move(layer));
    }
  }
}

int SearchSpace::CandidateOf(size_t layer, int choice) const {
  return choice == 0
             ? -1
             : layers_[layer].candidates[static_cast<size_t>(choice - 1)];
}

std::string SearchSpace::NameOf(size_t layer, int choice) const {
  const int candidate = CandidateOf(layer, choice);
  return candidate < 0 ? kFloatChoice
                       : candidates_[static_cast<size_t>(candidate)].name;
}

QConfigMapping SearchSpace::MappingOf(const RecipeChoices& choices) const {
  QConfigMapping mapping = candidates_.front().mapping;
  for (size_t i = 0; i < layers_.size(); ++i) {
    const int candidate = CandidateOf(i, choices[i]);
    const FloatSubgraph& subgraph = subgraphs()[layers_[i].subgraph];
    if (candidate < 0) {
      SetLayerQConfig(subgraphs(), subgraph, std::nullopt, mapping);
    } else if (candidate > 0) {
      SetLayerQConfig(subgraphs(), subgraph,
                      candidates_[static_cast<size_t>(candidate)]
                          .mapping.Choose(subgraph)
                          .qconfig,
                      mapping);
    }
  }
  return mapping;
}

QuantizeOptions SearchSpace::OptionsOf(const RecipeChoices& choices) const {
  QuantizeOptions options = options_;
  options.mapping = MappingOf(choices);
  return options;
}

ObserverPlan SearchSpace::Plan(
    const QConfigMapping& mapping,
    std::map<std::string, std::string> float_layers) const {
  const ScopedEngine engine(EngineOf(options_.backend));
  ObserverPlanOptions plan;
  plan.mapping = mapping;
  plan.float_layers = std::move(float_layers);
  plan.input_means = options_.methods.bias_correction == BiasCorrection::kFast;
  return planner_->Plan(plan);
}

ObserverPlan SearchSpace::PlanOf(const RecipeChoices& choices) const {
  return Plan(MappingOf(choices), always_float_);
}

ObserverPlan SearchSpace::PlanOfPrepared(const QConfigMapping& mapping,
                                         const PreparedModel& record) const {
  return Plan(mapping, FloatLayersOf(record));
}

}  // namespace ns
