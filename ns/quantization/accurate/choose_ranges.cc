#include "ns/quantization/accurate/choose_ranges.h"

#include <ATen/ATen.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "ir/base/refusal.h"
#include "ir/base/status.h"
#include "ns/quantization/accurate/add_layer_rules.h"
#include "ns/quantization/accurate/layer_trials.h"
#include "ns/quantization/accurate/tried_methods.h"
#include "ns/quantization/accurate/weighted_layers.h"
#include "passes/instrument/variants/rounding.h"
#include "passes/quantization/convert/calibrated_value.h"
#include "passes/quantization/observe/activation_groups.h"
#include "passes/quantization/observe/prepared_model.h"
#include "passes/quantization/observe/reconfigure_prepared.h"
#include "passes/runtime/observers/observer_options.h"
#include "passes/runtime/observers/reconfigured_observer.h"

namespace ns {
namespace {

// One way to quantize a group and the weights of its readers.
struct Way {
  // What reports call it.
  std::string name;
  // Of all observers of the group.
  ObserverConfig activation;
  // By index of the layer.
  std::map<int64_t, ObserverConfig> weights;
  // Indices of the trials that measure it.
  std::vector<size_t> trials;
  // The mean noise, as a part of the power; nan where not measured.
  double noise = std::numeric_limits<double>::quiet_NaN();
};

double DecibelsOf(double noise) { return -10 * std::log10(noise); }

bool IsByte(const ObserverConfig& config) {
  return config.dtype == at::kQUInt8 && !config.quant_min &&
         HasQParams(config.kind) && config.kind != ObserverKind::kFixedQParams;
}

ObserverConfig WithOtherBits(ObserverConfig config) {
  config.reduce_range = !config.reduce_range;
  return config;
}

// What reports call `config` in the place of `present`.
std::string NameOf(const ObserverConfig& config,
                   const ObserverConfig& present) {
  if (config.kind != present.kind) {
    return absl::StrCat("by ", ObserverKindName(config.kind));
  }
  return config.reduce_range ? "7-bit activations" : "8-bit activations";
}

// What `observer` would find with `config`.
absl::StatusOr<GridRounding> RoundingOf(const ObserverPtr& observer,
                                        const ObserverConfig& config,
                                        ConversionCache& cache) {
  ObserverPtr made = observer;
  if (observer->config() != config) {
    NS_ASSIGN_OR_RETURN(made, Reconfigured(*observer, config));
  }
  const CalibratedValue value =
      made == observer ? cache.Ask(observer) : AskObserver(std::move(made));
  NS_RETURN_IF_ERROR(value.status);
  const QuantGrid grid = GridOf(config);
  return GridRounding{value.qparams, grid.quant_min, grid.quant_max};
}

class RangeChooser {
 public:
  RangeChooser(const ModelGraph& float_model, const ModelGraph& prepared,
               const QConfigMapping& mapping, absl::Span<const Batch> batches,
               const ChooseRangesOptions& options)
      : float_model_(float_model),
        prepared_(prepared),
        batches_(batches),
        options_(options),
        cache_(options.cache == nullptr ? own_cache_ : *options.cache),
        observers_(AttachedObservers(prepared.module())) {
    choices_.mapping = mapping;
  }

  absl::StatusOr<RangeChoices> Run() {
    NS_ASSIGN_OR_RETURN(record_, AttachedPreparedModel(prepared_.module()));
    NS_ASSIGN_OR_RETURN(weighted_,
                        FindWeightedLayers(prepared_, options_.target, cache_));
    for (const ActivationGroup& group :
         GroupActivations(record_, [this](int64_t observer) {
           const Observer* found = Find(observer);
           return found == nullptr || !IsByte(found->config());
         })) {
      NS_RETURN_IF_ERROR(AddWays(group));
    }
    NS_RETURN_IF_ERROR(Measure());
    for (size_t i = 0; i < groups_.size(); ++i) {
      Choose(groups_[i], ways_[i]);
    }
    NS_RETURN_IF_ERROR(Finish());
    return std::move(choices_);
  }

 private:
  const Observer* Find(int64_t number) const {
    const auto found = observers_.find(ObserverAttribute(number));
    return found == observers_.end() ? nullptr : found->second.get();
  }

  const PreparedLayer& Layer(int64_t index) const {
    return record_.layers[static_cast<size_t>(index)];
  }

  // The configs that are tried for the observers of a group, which have
  // `present`: the one that stays where no other is better comes first.
  std::vector<ObserverConfig> Tried(const ObserverConfig& present,
                                    bool can_saturate) const {
    std::vector<ObserverConfig> tried;
    if (!options_.observers) {
      if (can_saturate || !present.reduce_range) {
        tried.push_back(present);
      }
      if (can_saturate || present.reduce_range) {
        tried.push_back(WithOtherBits(present));
      }
      return tried;
    }
    tried.push_back(present);
    for (const ObserverKind kind : {ObserverKind::kMse, ObserverKind::kMinMax,
                                    ObserverKind::kPercentile}) {
      if (kind != present.kind && CanReconfigure(present.kind, kind)) {
        tried.push_back(present);
        tried.back().kind = kind;
      }
    }
    return tried;
  }

  // Whether all of the group have seen values, and one config.
  bool IsChangeable(const ActivationGroup& group) const {
    return absl::c_all_of(group.observers, [&](int64_t number) {
      const ObserverPtr& observer = observers_.at(ObserverAttribute(number));
      return observer->config() == Find(group.observers[0])->config() &&
             cache_.Ask(observer).status.ok();
    });
  }

  absl::Status AddWays(const ActivationGroup& group) {
    if (!IsChangeable(group)) {
      return absl::OkStatus();
    }
    const ObserverConfig present = Find(group.observers[0])->config();
    const bool can_saturate =
        absl::c_any_of(group.readers, [&](int64_t reader) {
          const auto found = weighted_.find(reader);
          return found != weighted_.end() && found->second.can_saturate;
        });
    std::vector<Way> ways;
    for (const ObserverConfig& config : Tried(present, can_saturate)) {
      Way& way = ways.emplace_back();
      way.name = NameOf(config, present);
      way.activation = config;
      for (const int64_t reader : group.readers) {
        const auto layer = weighted_.find(reader);
        if (layer != weighted_.end()) {
          way.weights[reader] =
              layer->second.can_saturate && !config.reduce_range
                  ? layer->second.narrow
                  : layer->second.full;
        }
      }
    }
    if (ways.size() > 1 && !batches_.empty()) {
      for (Way& way : ways) {
        NS_RETURN_IF_ERROR(AddTrials(group, way));
      }
    }
    groups_.push_back(group);
    ways_.push_back(std::move(ways));
    return absl::OkStatus();
  }

  absl::Status AddTrials(const ActivationGroup& group, Way& way) {
    bool has_other_readers = false;
    std::optional<LayerTrial> last;
    for (const int64_t reader : group.readers) {
      const auto layer = weighted_.find(reader);
      if (layer == weighted_.end()) {
        has_other_readers = true;
        continue;
      }
      LayerTrial trial;
      trial.layer = reader;
      const absl::StatusOr<GridRounding> rounding =
          RoundingOf(observers_.at(ObserverAttribute(Layer(reader).inputs[0])),
                     way.activation, cache_);
      const absl::StatusOr<at::Tensor> weight =
          QuantizedWeight(reader, layer->second.weight, way.weights[reader]);
      for (const absl::Status& status : {rounding.status(), weight.status()}) {
        NS_RETURN_IF_ERROR(IsRefusal(status) ? absl::OkStatus() : status);
      }
      if (!rounding.ok() || !weight.ok()) {
        continue;
      }
      trial.input = *rounding;
      trial.weight = *weight;
      way.trials.push_back(NumberOf(trial));
      last = std::move(trial);
    }
    if (has_other_readers && last) {
      last->of_input = true;
      way.trials.push_back(NumberOf(*last));
    }
    return absl::OkStatus();
  }

  // Returns `weight`, that of the layer `index`, as `config` quantizes it.
  absl::StatusOr<at::Tensor> QuantizedWeight(int64_t index,
                                             const at::Tensor& weight,
                                             const ObserverConfig& config) {
    auto& known = quantized_weights_[index];
    for (const auto& [known_config, quantized] : known) {
      if (known_config == config) {
        return quantized;
      }
    }
    NS_ASSIGN_OR_RETURN(const at::Tensor quantized,
                        cache_.Quantized(weight, config));
    known.emplace_back(config, quantized);
    return quantized;
  }

  // Returns the index of `trial` in trials_: ways that are alike share it.
  size_t NumberOf(const LayerTrial& trial) {
    for (size_t i = 0; i < trials_.size(); ++i) {
      const LayerTrial& known = trials_[i];
      if (known.layer == trial.layer && known.of_input == trial.of_input &&
          known.input == trial.input && known.weight.is_same(trial.weight)) {
        return i;
      }
    }
    trials_.push_back(trial);
    return trials_.size() - 1;
  }

  absl::Status Measure() {
    if (batches_.empty() || trials_.empty()) {
      return absl::OkStatus();
    }
    NS_ASSIGN_OR_RETURN(const std::vector<double> sqnr_db,
                        MeasureLayerTrials(prepared_, batches_, trials_));
    for (std::vector<Way>& ways : ways_) {
      const std::set<Reader> measured = MeasuredReaders(ways, sqnr_db);
      for (Way& way : ways) {
        double sum = 0;
        for (const size_t trial : way.trials) {
          sum += measured.count(ReaderOf(trial)) == 0
                     ? 0
                     : std::pow(10, -sqnr_db[trial] / 10);
        }
        way.noise = sum / static_cast<double>(measured.size());
      }
    }
    return absl::OkStatus();
  }

  // A layer that reads the values of a group, and whether its input alone is
  // rounded.
  using Reader = std::pair<int64_t, bool>;
  Reader ReaderOf(size_t trial) const {
    return {trials_[trial].layer, trials_[trial].of_input};
  }

  // Those that have a figure in each of `ways`. A layer that no batch came by
  // has none, nor has one with a nan among its values.
  std::set<Reader> MeasuredReaders(const std::vector<Way>& ways,
                                   const std::vector<double>& sqnr_db) const {
    std::map<Reader, size_t> counts;
    for (const Way& way : ways) {
      for (const size_t trial : way.trials) {
        counts[ReaderOf(trial)] += std::isnan(sqnr_db[trial]) ? 0 : 1;
      }
    }
    std::set<Reader> measured;
    for (const auto& [reader, count] : counts) {
      if (count == ways.size()) {
        measured.insert(reader);
      }
    }
    return measured;
  }

  void Choose(const ActivationGroup& group, const std::vector<Way>& ways) {
    const Way& present = ways.front();
    const Way* best = &present;
    for (const Way& way : ways) {
      if (way.noise < best->noise) {
        best = &way;
      }
    }
    const std::string& name = Layer(group.owners[0]).name;
    for (const Way& way : ways) {
      if (&way != &present && !std::isnan(way.noise)) {
        std::string reason;
        if (&way != best) {
          reason = std::string(way.noise < present.noise ? kOtherGainsMore
                                                         : kNoGain);
        }
        choices_.tried.push_back({name, std::string(way.name),
                                  DecibelsOf(present.noise),
                                  DecibelsOf(way.noise), std::move(reason)});
      }
    }
    for (const int64_t observer : group.observers) {
      if (Find(observer)->config() != best->activation) {
        changes_.observers[observer] = best->activation;
      }
    }
    for (const auto& [reader, weight] : best->weights) {
      if (weighted_.at(reader).present != weight) {
        chosen_.weights[reader] = weight;
      }
    }
    for (const int64_t owner : group.owners) {
      chosen_.activations[owner] = best->activation;
    }
  }

  // Writes rules for the layers whose qconfig changes, and makes the model.
  absl::Status Finish() {
    NS_ASSIGN_OR_RETURN(
        const auto changed,
        AddLayerRules(float_model_, record_, chosen_, choices_.mapping));
    for (const auto& [index, choice] : changed) {
      LayerReconfiguration& change = changes_.layers[index];
      change.qconfig = QConfigName(choice.qconfig);
      change.rule = choice.rule;
      if (const auto weight = chosen_.weights.find(index);
          weight != chosen_.weights.end()) {
        change.weight = weight->second;
      } else if (!Layer(index).weight.empty()) {
        NS_ASSIGN_OR_RETURN(change.weight,
                            ParseObserverConfig(Layer(index).weight));
      }
    }
    if (changes_.layers.empty()) {
      return absl::OkStatus();
    }
    NS_ASSIGN_OR_RETURN(choices_.prepared,
                        ReconfigurePrepared(prepared_, changes_));
    return absl::OkStatus();
  }

  const ModelGraph& float_model_;
  const ModelGraph& prepared_;
  const absl::Span<const Batch> batches_;
  const ChooseRangesOptions& options_;
  ConversionCache own_cache_;
  ConversionCache& cache_;
  // By attribute.
  const std::map<std::string, ObserverPtr> observers_;
  PreparedModel record_;
  // By index of the layer.
  std::map<int64_t, WeightedLayer> weighted_;
  // The groups that can be changed, and of each the ways there are, the present
  // one first.
  std::vector<ActivationGroup> groups_;
  std::vector<std::vector<Way>> ways_;
  std::vector<LayerTrial> trials_;
  // Weights as configs quantize them, by index of the layer.
  std::map<int64_t, std::vector<std::pair<ObserverConfig, at::Tensor>>>
      quantized_weights_;
  LayerChoices chosen_;
  Reconfiguration changes_;
  RangeChoices choices_;
};

}  // namespace

absl::StatusOr<RangeChoices> ChooseRanges(const ModelGraph& float_model,
                                          const ModelGraph& prepared,
                                          const QConfigMapping& mapping,
                                          absl::Span<const Batch> batches,
                                          const ChooseRangesOptions& options) {
  return RangeChooser(float_model, prepared, mapping, batches, options).Run();
}

}  // namespace ns
