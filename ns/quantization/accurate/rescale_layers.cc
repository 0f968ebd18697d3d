#include "ns/quantization/accurate/rescale_layers.h"

#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ir/base/status.h"
#include "ir/graph/pass_context.h"
#include "ns/batches/batch.h"
#include "ns/quantization/accurate/held_back_batches.h"
#include "ns/quantization/accurate/tried_methods.h"
#include "ns/quantization/model/calibrator.h"
#include "ns/quantization/model/fold_for_quantization.h"
#include "ns/quantization/model/layer_errors.h"
#include "ns/quantization/model/quantize_model.h"
#include "ns/quantization/model/quantized_engine.h"
#include "ns/quantization/model/target_error.h"
#include "ns/quantization/model/target_mapping.h"
#include "passes/quantization/layers/float_subgraphs.h"
#include "passes/quantization/rescale/channel_samples.h"
#include "passes/quantization/rescale/equalize_layers.h"
#include "passes/quantization/rescale/smooth_layers.h"

namespace ns {
namespace {

constexpr int64_t kMostSampled = 8;
// Of these, as each model that is tried is calibrated by itself.
constexpr size_t kMostCalibrated = 4;
// How many models are quantized, with all that can be tried.
constexpr int64_t kMostQuantized = 5;

// A model as it would be quantized, and what it loses, once that was asked for.
struct Measured {
  ModelGraph quantized;
  // The lowest SQNR of its outputs.
  std::optional<double> output_db = {};
  // The noise of each layer by itself, as a part of its power, by name.
  std::optional<std::map<std::string, double>> layer_noise = {};
};

// A float model in whose layers something was tried.
struct Rescaled {
  ModelGraph model;
  Measured measured;
  std::vector<TriedMethod> tried;
};

// A float model all of whose pairs are equalized.
struct Equalized {
  EqualizeLayers::Options options;
  EqualizationReport report;
  Rescaled all;
};

// Whether `model` may have layers to smooth: linear ones behind others or
// behind layer norms. What flows between them is sampled for nothing otherwise.
bool MayBeSmoothed(ModelGraph& model) {
  int linears = 0;
  bool has_norm = false;
  for (const FloatSubgraph& layer : FindFloatSubgraphs(model.graph())) {
    const torch::jit::Node& base = *layer.subgraph.base;
    linears += base.kind() == c10::aten::linear ? 1 : 0;
    has_norm = has_norm || base.kind() == c10::aten::layer_norm;
  }
  return linears > (has_norm ? 0 : 1);
}

bool HasKept(const std::vector<TriedMethod>& tried) {
  return absl::c_any_of(
      tried, [](const TriedMethod& method) { return method.IsKept(); });
}

class Rescaler {
 public:
  // `folded` is what FoldForQuantization has made of `original`, which must
  // outlive the object.
  Rescaler(const ModelGraph& original, ModelGraph folded,
           const QuantizeOptions& options, std::vector<Batch> sampled,
           std::vector<Batch> held_back)
      : options_(options),
        sampled_(std::move(sampled)),
        calibrated_(sampled_.begin(),
                    sampled_.begin() + static_cast<std::ptrdiff_t>(std::min(
                                           sampled_.size(), kMostCalibrated))),
        held_back_(std::move(held_back)),
        output_error_(original, held_back_),
        result_{std::move(folded), {}, {}} {
    // The bits that are chosen later, and all that is corrected, must not
    // count: models are measured with 8 bits, as if no sum could saturate.
    // With the bits of the target, tools/networks/mobile_v2.pt ended 4.5 dB
    // lower.
    progress_ = std::exchange(options_.progress, nullptr);
    options_.target = QuantizationTarget::kExact;
    options_.methods.choose_ranges = options_.methods.choose_observers = false;
    options_.methods.bias_correction = BiasCorrection::kNone;
    options_.methods.rounding_steps = 0;
  }

  RescaledModel Run() {
    if (options_.methods.smooth) {
      WarnUnless("layers are not smoothed", Smooth());
    }
    if (options_.methods.equalize) {
      WarnUnless("layers are not equalized", Equalize());
    }
    return std::move(result_);
  }

 private:
  void WarnUnless(absl::string_view what, const absl::Status& status) {
    if (!status.ok()) {
      result_.warnings.push_back(CannotMeasure(what, status));
    }
  }

  absl::StatusOr<Measured> Quantized(const ModelGraph& model) {
    NS_ASSIGN_OR_RETURN(QuantizedModel quantized,
                        QuantizeModel(model, calibrated_, options_));
    ++quantized_;
    if (progress_) {
      progress_(quantized_, kMostQuantized);
    }
    return Measured{std::move(quantized.model)};
  }

  absl::Status MeasureOutputs(Measured& measured) {
    if (!measured.output_db) {
      NS_ASSIGN_OR_RETURN(measured.output_db,
                          output_error_.WorstDb(measured.quantized, options_));
    }
    return absl::OkStatus();
  }

  // Of the quantized `model`.
  absl::Status MeasureLayers(const ModelGraph& model,
                             Measured& measured) const {
    if (measured.layer_noise) {
      return absl::OkStatus();
    }
    NS_ASSIGN_OR_RETURN(const auto sqnr_db,
                        LayerErrors(model, measured.quantized, held_back_));
    auto& noise = measured.layer_noise.emplace();
    for (const auto& [layer, db] : sqnr_db) {
      noise[layer] = std::pow(10, -db / 10);
    }
    return absl::OkStatus();
  }

  absl::StatusOr<ChannelSamples> Sample(const ModelGraph& model,
                                        ChannelSamplerOptions options) const {
    options.prepare_copy = MakeConvsFast;
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

  // Quantizes the model as it is now, once.
  absl::Status QuantizePresent() {
    if (!present_) {
      NS_ASSIGN_OR_RETURN(present_, Quantized(result_.model));
    }
    return absl::OkStatus();
  }

  // Makes `changed` the model where something was kept, and its outputs, which
  // are measured then, are no worse; and else says so of what was kept.
  absl::Status Keep(Rescaled changed) {
    if (!HasKept(changed.tried)) {
      AddTried(changed.tried);
      return absl::OkStatus();
    }
    NS_RETURN_IF_ERROR(QuantizePresent());
    NS_RETURN_IF_ERROR(MeasureOutputs(*present_));
    if (changed.measured.output_db >= present_->output_db) {
      result_.model = std::move(changed.model);
      present_ = std::move(changed.measured);
    } else {
      DropKept(kOutputsWorse, changed.tried);
    }
    AddTried(changed.tried);
    return absl::OkStatus();
  }

  void AddTried(const std::vector<TriedMethod>& tried) {
    result_.tried.insert(result_.tried.end(), tried.begin(), tried.end());
  }

  absl::Status Smooth() {
    ChannelSamplerOptions sampler;
    sampler.takes_output = [](const std::string&) { return false; };
    ChannelSamples samples;
    if (MayBeSmoothed(result_.model)) {
      NS_ASSIGN_OR_RETURN(samples, Sample(result_.model, sampler));
    }
    NS_ASSIGN_OR_RETURN(ModelGraph smoothed, result_.model.Clone());
    SmoothLayers::Options smooth;
    smooth.inputs = std::move(samples.inputs);
    NS_ASSIGN_OR_RETURN(smooth.mapping, TargetMapping(result_.model, options_));
    PassContext context;
    NS_ASSIGN_OR_RETURN(const SmoothingReport report,
                        SmoothLayers(smooth).Smooth(smoothed, context));
    if (report.tried.empty()) {
      result_.warnings.emplace_back(
          report.has_norm
              ? "no layers were smoothed: no linear layer reads a layer norm, "
                "or alone reads another linear layer"
              : "no layers were smoothed: the model has no layer norm, and no "
                "linear layer that alone reads another");
    }
    std::vector<TriedMethod> tried;
    for (const SmoothedLayers& layers : report.tried) {
      tried.push_back({layers.first, "smoothing", layers.without_db,
                       layers.with_db,
                       layers.is_smoothed ? "" : std::string(kNoGain)});
    }
    if (!HasKept(tried)) {
      AddTried(tried);
      return absl::OkStatus();
    }
    NS_ASSIGN_OR_RETURN(Measured after, Quantized(smoothed));
    NS_RETURN_IF_ERROR(MeasureOutputs(after));
    return Keep({std::move(smoothed), std::move(after), std::move(tried)});
  }

  // Tries what may become of clamps between layers: one that stays lets less
  // move, and one that is rescaled runs in float. That is taken with which
  // outputs are better where all pairs are equalized.
  absl::Status Equalize() {
    ChannelSamplerOptions sampler;
    sampler.takes_input = [](const std::string&) { return false; };
    sampler.most_rows = 0;
    NS_ASSIGN_OR_RETURN(const ChannelSamples samples,
                        Sample(result_.model, sampler));
    EqualizeLayers::Options equalize;
    for (const auto& [name, sample] : samples.outputs) {
      equalize.largest_outputs[name] = sample.largest;
    }
    std::optional<Equalized> best;
    for (const auto clamps :
         {EqualizeLayers::Clamps::kKeep, EqualizeLayers::Clamps::kRescale}) {
      equalize.clamps = clamps;
      NS_ASSIGN_OR_RETURN(ModelGraph all, result_.model.Clone());
      PassContext context;
      NS_ASSIGN_OR_RETURN(EqualizationReport report,
                          EqualizeLayers(equalize).Equalize(all, context));
      const bool has_rescaled = absl::c_any_of(
          report.pairs,
          [](const EqualizedPair& pair) { return pair.rescales_clamp; });
      // Without a clamp that is rescaled, both are the same.
      if (report.pairs.empty() ||
          (clamps == EqualizeLayers::Clamps::kRescale && !has_rescaled)) {
        continue;
      }
      NS_ASSIGN_OR_RETURN(Measured measured, Quantized(all));
      NS_ASSIGN_OR_RETURN(std::vector<TriedMethod> tried,
                          TryPairs(all, measured, report));
      if (HasKept(tried)) {
        NS_RETURN_IF_ERROR(MeasureOutputs(measured));
      }
      // Outputs that are not measured are less than any.
      if (!best || measured.output_db > best->all.measured.output_db) {
        best =
            Equalized{equalize,
                      std::move(report),
                      {std::move(all), std::move(measured), std::move(tried)}};
      }
    }
    if (!best) {
      result_.warnings.emplace_back(
          "no layers were equalized: there are no two, one behind the other, "
          "whose channels have different ranges");
      return absl::OkStatus();
    }
    NS_ASSIGN_OR_RETURN(Rescaled chosen, WithPairsKept(*std::move(best)));
    return Keep(std::move(chosen));
  }

  // The model with those pairs that lose less by it.
  absl::StatusOr<Rescaled> WithPairsKept(Equalized equalized) {
    std::vector<TriedMethod>& tried = equalized.all.tried;
    std::set<std::pair<std::string, std::string>> kept;
    for (size_t i = 0; i < tried.size(); ++i) {
      if (tried[i].IsKept()) {
        const EqualizedPair& pair = equalized.report.pairs[i];
        kept.insert({pair.first, pair.second});
      }
    }
    if (kept.empty() || kept.size() == tried.size()) {
      return std::move(equalized.all);
    }
    equalized.options.takes_pair = [&](const std::string& first,
                                       const std::string& second) {
      return kept.count({first, second}) != 0;
    };
    NS_ASSIGN_OR_RETURN(ModelGraph chosen, result_.model.Clone());
    PassContext context;
    NS_RETURN_IF_ERROR(
        EqualizeLayers(equalized.options).Equalize(chosen, context).status());
    NS_ASSIGN_OR_RETURN(Measured measured, Quantized(chosen));
    NS_RETURN_IF_ERROR(MeasureOutputs(measured));
    return Rescaled{std::move(chosen), std::move(measured), std::move(tried)};
  }

  // One for each pair.
  absl::StatusOr<std::vector<TriedMethod>> TryPairs(
      const ModelGraph& equalized, Measured& measured,
      const EqualizationReport& report) {
    NS_RETURN_IF_ERROR(QuantizePresent());
    NS_RETURN_IF_ERROR(MeasureLayers(result_.model, *present_));
    NS_RETURN_IF_ERROR(MeasureLayers(equalized, measured));
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
      const double before = of_pair(*present_->layer_noise, pair);
      const double after = of_pair(*measured.layer_noise, pair);
      tried.push_back({pair.first, "equalization", before, after,
                       after > before ? "" : std::string(kNoGain)});
    }
    return tried;
  }

  QuantizeOptions options_;
  std::function<void(int64_t done, int64_t total)> progress_;
  const std::vector<Batch> sampled_;
  const std::vector<Batch> calibrated_;
  const std::vector<Batch> held_back_;
  // Against the model as it was: what a clamp cuts off that it did not before,
  // on values beyond those that were sampled, must count.
  TargetError output_error_;
  RescaledModel result_;
  // What the model of result_ loses, once it is known.
  std::optional<Measured> present_;
  int64_t quantized_ = 0;
};

}  // namespace

bool HasRescaling(const QuantizeOptions& options) {
  return (options.methods.smooth || options.methods.equalize) &&
         !options.compat && !options.reference &&
         options.mode == QuantizeMode::kStatic;
}

absl::StatusOr<RescaledModel> RescaleWhatHelps(const ModelGraph& float_model,
                                               const BatchReader& batches,
                                               const QuantizeOptions& options) {
  NS_ASSIGN_OR_RETURN(ModelGraph folded,
                      FoldForQuantization(float_model, /*compat=*/false));
  const BatchSplit split = SplitBatches(batches.size());
  if (split.held_back.empty()) {
    return RescaledModel{
        std::move(folded),
        {},
        {"layers are not rescaled: there is one batch, and none is left to see "
         "whether it helps; give more"}};
  }
  NS_ASSIGN_OR_RETURN(
      std::vector<Batch> sampled,
      batches.ReadEach(SpreadEvenly(split.learned, kMostSampled)));
  NS_ASSIGN_OR_RETURN(std::vector<Batch> kept,
                      batches.ReadEach(split.held_back));
  const ScopedEngine engine(EngineOf(options.backend));
  return Rescaler(float_model, std::move(folded), options, std::move(sampled),
                  std::move(kept))
      .Run();
}

}  // namespace ns
