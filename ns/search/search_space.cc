#include "ns/search/search_space.h"

#include <map>
#include <optional>
#include <set>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "ir/status.h"
#include "ns/quantization/quantize_model.h"
#include "ns/quantization/quantized_engine.h"
#include "passes/quantization/int8_form.h"
#include "passes/quantization/kernel_support.h"
#include "passes/quantization/layer_rule.h"
#include "passes/quantization/qconfig.h"

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
  space.candidates_ = std::move(candidates);
  space.subgraphs_ =
      FindFloatSubgraphs(space.base_->graph(), {}, FusingOps::kLibTorch);
  NS_RETURN_IF_ERROR(space.PlanCandidates(model));
  space.FindLayers();
  if (space.layers_.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "no layer has an int8 kernel for a candidate",
        space.always_float_.empty()
            ? ""
            : absl::StrCat(": ", space.always_float_.begin()->first, " ",
                           space.always_float_.begin()->second)));
  }
  return space;
}

absl::Status SearchSpace::PlanCandidates(const ModelGraph& model) {
  for (size_t i = 0; i < candidates_.size(); ++i) {
    QuantizeOptions options = options_;
    options.mapping = candidates_[i].mapping;
    NS_ASSIGN_OR_RETURN(const ModelGraph prepared,
                        PrepareModel(model, options));
    NS_ASSIGN_OR_RETURN(const PreparedModel record,
                        AttachedPreparedModel(prepared.module()));
    uniform_.push_back(PlanOfPrepared(candidates_[i].mapping, record));
    std::map<std::string, std::string> stayed = FloatLayersOf(record);
    if (i == 0) {
      always_float_ = std::move(stayed);
      continue;
    }
    for (auto it = always_float_.begin(); it != always_float_.end();) {
      it = stayed.count(it->first) != 0 ? std::next(it)
                                        : always_float_.erase(it);
    }
  }
  return absl::OkStatus();
}

void SearchSpace::FindLayers() {
  std::vector<std::set<std::string>> planned(candidates_.size());
  for (size_t i = 0; i < candidates_.size(); ++i) {
    for (const PlannedLayer& layer : uniform_[i].layers) {
      planned[i].insert(layer.name);
    }
  }
  for (size_t i = 0; i < subgraphs_.size(); ++i) {
    const FloatSubgraph& subgraph = subgraphs_[i];
    SearchLayer layer{i, {}};
    for (size_t candidate = 0; candidate < candidates_.size(); ++candidate) {
      if (planned[candidate].count(subgraph.name) != 0) {
        layer.candidates.push_back(static_cast<int>(candidate));
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

const FloatSubgraph* SearchSpace::Find(absl::string_view name) const {
  const auto found = absl::c_find_if(
      subgraphs_,
      [&](const FloatSubgraph& subgraph) { return subgraph.name == name; });
  return found == subgraphs_.end() ? nullptr : &*found;
}

int SearchSpace::CandidateOf(size_t layer, int choice) const {
  return choice == 0
             ? -1
             : layers_[layer].candidates[static_cast<size_t>(choice - 1)];
}

std::string SearchSpace::NameOf(size_t layer, int choice) const {
  const int candidate = CandidateOf(layer, choice);
  return candidate < 0 ? "float"
                       : candidates_[static_cast<size_t>(candidate)].name;
}

QConfigMapping SearchSpace::MappingOf(const RecipeChoices& choices) const {
  QConfigMapping mapping = candidates_.front().mapping;
  for (size_t i = 0; i < layers_.size(); ++i) {
    const int candidate = CandidateOf(i, choices[i]);
    const FloatSubgraph& subgraph = subgraphs_[layers_[i].subgraph];
    if (candidate < 0) {
      SetLayerQConfig(subgraphs_, subgraph, std::nullopt, mapping);
    } else if (candidate > 0) {
      SetLayerQConfig(subgraphs_, subgraph,
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
  plan.keep = options_.keep;
  plan.float_layers = std::move(float_layers);
  plan.input_means = options_.bias_correction != BiasCorrection::kNone;
  return PlanObservers(base_->graph(), plan);
}

ObserverPlan SearchSpace::PlanOf(const RecipeChoices& choices) const {
  return Plan(MappingOf(choices), always_float_);
}

ObserverPlan SearchSpace::PlanOfPrepared(const QConfigMapping& mapping,
                                         const PreparedModel& record) const {
  return Plan(mapping, FloatLayersOf(record));
}

}  // namespace ns
