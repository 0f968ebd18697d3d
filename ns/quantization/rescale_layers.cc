#include "ns/quantization/rescale_layers.h"

#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ir/graph_walk.h"
#include "ir/node_view.h"
#include "ir/pass_context.h"
#include "ir/status.h"
#include "ns/batches/batch.h"
#include "ns/quantization/fold_for_quantization.h"
#include "ns/quantization/held_back_batches.h"
#include "ns/quantization/layer_errors.h"
#include "ns/quantization/quantize_accurately.h"
#include "ns/quantization/quantize_model.h"
#include "ns/quantization/quantized_engine.h"
#include "ns/quantization/target_error.h"
#include "ns/quantization/target_mapping.h"
#include "ns/quantization/tried_methods.h"
#include "passes/quantization/channel_samples.h"
#include "passes/quantization/equalize_layers.h"
#include "passes/quantization/smooth_layers.h"

namespace ns {
namespace {

constexpr int64_t kMostSampled = 8;

// A model as it would be quantized, and what it loses.
struct Measured {
  ModelGraph quantized;
  // The lowest SQNR of its outputs.
  double output_db = 0;
};

// A float model in whose layers something was tried.
struct Rescaled {
  ModelGraph model;
  std::vector<TriedMethod> tried;
  // That of the quantized model.
  double output_db = 0;
};

// Whether some op of `model` cuts values off at a number other than zero.
bool HasClamps(const ModelGraph& model) {
  return AnyNode(model.graph().block(), [](const torch::jit::Node* node) {
    const absl::string_view op = OpName(*node);
    return op == "aten::relu6" || op == "aten::hardtanh" ||
           op == "aten::clamp" || op == "aten::clamp_max";
  });
}

class Rescaler {
 public:
  Rescaler(const QuantizeOptions& options, std::vector<Batch> sampled,
           std::vector<Batch> held_back)
      : options_(options),
        sampled_(std::move(sampled)),
        held_back_(std::move(held_back)) {
    // What else depends on how a layer is scaled: the bits that are chosen.
    options_.bias_correction = BiasCorrection::kNone;
    options_.choose_observers = false;
    options_.rounding_steps = 0;
  }

  RescaledModel Run(ModelGraph folded) {
    RescaledModel result{std::move(folded), {}, {}};
    if (options_.smooth) {
      WarnUnless("layers are not smoothed", Smooth(result), result);
    }
    if (options_.equalize) {
      WarnUnless("layers are not equalized", Equalize(result), result);
    }
    return result;
  }

 private:
  static void WarnUnless(absl::string_view what, const absl::Status& status,
                         RescaledModel& result) {
    if (!status.ok()) {
      result.warnings.push_back(absl::StrCat(
          what, ", as it cannot be measured what helps: ", status.message()));
    }
  }

  absl::StatusOr<Measured> Measure(const ModelGraph& model) const {
    std::vector<Batch> batches = sampled_;
    batches.insert(batches.end(), held_back_.begin(), held_back_.end());
    const BatchReader all = BatchReader::FromBatches(std::move(batches));
    NS_ASSIGN_OR_RETURN(const ModelGraph prepared,
                        PrepareModel(model, options_));
    NS_RETURN_IF_ERROR(CalibrateHoldingBack(prepared, all));
    NS_ASSIGN_OR_RETURN(
        QuantizedModel quantized,
        ConvertKeepingWhatHelps(model, prepared, all, options_));
    NS_ASSIGN_OR_RETURN(
        const double output_db,
        WorstOutputDb(model, quantized.model, held_back_, options_));
    return Measured{std::move(quantized.model), output_db};
  }

  absl::StatusOr<ChannelSamples> Sample(
      const ModelGraph& model, const ChannelSamplerOptions& options) const {
    NS_ASSIGN_OR_RETURN(ChannelSampler sampler,
                        ChannelSampler::Create(model, options));
    for (Batch batch : sampled_) {
      NS_RETURN_IF_ERROR(FitBatch(
          model.module().get_method(model.method()).function().getSchema(),
          batch));
      NS_RETURN_IF_ERROR(sampler.Run(batch.arguments, batch.keywords));
    }
    return sampler.samples();
  }

  // Makes `changed` the model where its outputs are no worse than
  // `output_db`, and else says so of what was kept.
  static void Keep(double output_db, Rescaled changed, RescaledModel& result) {
    if (changed.output_db >= output_db) {
      result.model = std::move(changed.model);
    } else {
      DropKept(kOutputsWorse, changed.tried);
    }
    result.tried.insert(result.tried.end(), changed.tried.begin(),
                        changed.tried.end());
  }

  absl::Status Smooth(RescaledModel& result) {
    ChannelSamplerOptions sampler;
    sampler.takes_output = [](const std::string&) { return false; };
    NS_ASSIGN_OR_RETURN(ChannelSamples samples, Sample(result.model, sampler));
    NS_ASSIGN_OR_RETURN(ModelGraph smoothed, result.model.Clone());
    SmoothLayers::Options smooth;
    smooth.inputs = std::move(samples.inputs);
    smooth.mapping =
        options_.mapping.value_or(TargetMapping(result.model, options_));
    PassContext context;
    NS_ASSIGN_OR_RETURN(const SmoothingReport report,
                        SmoothLayers(smooth).Smooth(smoothed, context));
    if (report.tried.empty()) {
      result.warnings.emplace_back(
          report.has_norm
              ? "no layers were smoothed: no linear layer alone reads a layer "
                "norm or another linear layer"
              : "no layers were smoothed: the model has no layer norm, and no "
                "linear layer that alone reads another");
    }
    std::vector<TriedMethod> tried;
    for (const SmoothedLayers& layers : report.tried) {
      tried.push_back({layers.first, "smoothing", layers.without_db,
                       layers.with_db,
                       layers.is_smoothed ? "" : std::string(kNoGain)});
    }
    NS_ASSIGN_OR_RETURN(const Measured before, Measure(result.model));
    NS_ASSIGN_OR_RETURN(const Measured after, Measure(smoothed));
    Keep(before.output_db,
         {std::move(smoothed), std::move(tried), after.output_db}, result);
    return absl::OkStatus();
  }

  // Tries what may become of clamps between layers: one that stays lets less
  // move, and one that is rescaled runs in float.
  absl::Status Equalize(RescaledModel& result) {
    ChannelSamplerOptions sampler;
    sampler.takes_input = [](const std::string&) { return false; };
    sampler.most_rows = 0;
    NS_ASSIGN_OR_RETURN(const ChannelSamples samples,
                        Sample(result.model, sampler));
    EqualizeLayers::Options equalize;
    for (const auto& [name, sample] : samples.outputs) {
      equalize.largest_outputs[name] = sample.largest;
    }
    NS_ASSIGN_OR_RETURN(const Measured before, Measure(result.model));
    std::optional<Rescaled> best;
    for (const auto clamps :
         {EqualizeLayers::Clamps::kKeep, EqualizeLayers::Clamps::kRescale}) {
      equalize.clamps = clamps;
      if (clamps == EqualizeLayers::Clamps::kRescale &&
          !HasClamps(result.model)) {
        continue;  // It would be the same once more.
      }
      NS_ASSIGN_OR_RETURN(std::optional<Rescaled> equalized,
                          EqualizedModel(result.model, before, equalize));
      if (equalized && (!best || equalized->output_db > best->output_db)) {
        best = std::move(equalized);
      }
    }
    if (!best) {
      result.warnings.emplace_back(
          "no layers were equalized: there are no two, one behind the other, "
          "whose channels have different ranges");
      return absl::OkStatus();
    }
    Keep(before.output_db, *std::move(best), result);
    return absl::OkStatus();
  }

  // The pairs of `model` equalized that lose less by it; none without pairs.
  absl::StatusOr<std::optional<Rescaled>> EqualizedModel(
      const ModelGraph& model, const Measured& before,
      EqualizeLayers::Options equalize) const {
    NS_ASSIGN_OR_RETURN(ModelGraph all, model.Clone());
    PassContext context;
    NS_ASSIGN_OR_RETURN(const EqualizationReport report,
                        EqualizeLayers(equalize).Equalize(all, context));
    if (report.pairs.empty()) {
      return std::nullopt;
    }
    NS_ASSIGN_OR_RETURN(std::vector<TriedMethod> tried,
                        TryPairs(model, before, all, report));
    std::set<std::pair<std::string, std::string>> kept;
    for (size_t i = 0; i < tried.size(); ++i) {
      if (tried[i].IsKept()) {
        kept.insert({report.pairs[i].first, report.pairs[i].second});
      }
    }
    equalize.takes_pair = [&](const std::string& first,
                              const std::string& second) {
      return kept.count({first, second}) != 0;
    };
    NS_ASSIGN_OR_RETURN(ModelGraph chosen, model.Clone());
    NS_RETURN_IF_ERROR(
        EqualizeLayers(equalize).Equalize(chosen, context).status());
    NS_ASSIGN_OR_RETURN(const Measured after, Measure(chosen));
    return Rescaled{std::move(chosen), std::move(tried), after.output_db};
  }

  // One for each pair.
  absl::StatusOr<std::vector<TriedMethod>> TryPairs(
      const ModelGraph& plain, const Measured& before,
      const ModelGraph& equalized, const EqualizationReport& report) const {
    NS_ASSIGN_OR_RETURN(const Measured after, Measure(equalized));
    NS_ASSIGN_OR_RETURN(const auto without, NoiseOf(plain, before));
    NS_ASSIGN_OR_RETURN(const auto with, NoiseOf(equalized, after));
    const auto of_pair = [](const std::map<std::string, double>& noise,
                            const EqualizedPair& pair) {
      const auto first = noise.find(pair.first);
      const auto second = noise.find(pair.second);
      return first == noise.end() || second == noise.end()
                 ? std::numeric_limits<double>::quiet_NaN()
                 : -10 * std::log10(first->second + second->second);
    };
    std::vector<TriedMethod> tried;
    for (const EqualizedPair& pair : report.pairs) {
      const double before = of_pair(without, pair);
      const double after = of_pair(with, pair);
      tried.push_back({pair.first, "equalization", before, after,
                       after > before ? "" : std::string(kNoGain)});
    }
    return tried;
  }

  // The noise of each layer by itself, as a part of its power, by name.
  absl::StatusOr<std::map<std::string, double>> NoiseOf(
      const ModelGraph& model, const Measured& measured) const {
    NS_ASSIGN_OR_RETURN(const auto sqnr_db,
                        LayerErrors(model, measured.quantized, held_back_));
    std::map<std::string, double> noise;
    for (const auto& [layer, db] : sqnr_db) {
      noise[layer] = std::pow(10, -db / 10);
    }
    return noise;
  }

  QuantizeOptions options_;
  const std::vector<Batch> sampled_;
  const std::vector<Batch> held_back_;
};

}  // namespace

bool HasRescaling(const QuantizeOptions& options) {
  return (options.smooth || options.equalize) && !options.compat &&
         options.mode == QuantizeMode::kStatic;
}

absl::StatusOr<RescaledModel> RescaleWhatHelps(const ModelGraph& float_model,
                                               const BatchReader& batches,
                                               const QuantizeOptions& options) {
  NS_ASSIGN_OR_RETURN(ModelGraph folded,
                      FoldForQuantization(float_model, /*compat=*/false));
  const int64_t held_back = HeldBackBatches(batches.size());
  if (held_back == 0) {
    return RescaledModel{
        std::move(folded),
        {},
        {"layers are not rescaled: there is one batch, and none is left to see "
         "whether it helps; give more"}};
  }
  const int64_t first = batches.size() - held_back;
  NS_ASSIGN_OR_RETURN(std::vector<Batch> sampled,
                      batches.ReadRange(0, std::min(first, kMostSampled)));
  NS_ASSIGN_OR_RETURN(std::vector<Batch> kept,
                      batches.ReadRange(first, batches.size()));
  const ScopedEngine engine(EngineOf(options.backend));
  return Rescaler(options, std::move(sampled), std::move(kept))
      .Run(std::move(folded));
}

}  // namespace ns
