#include "ns/quantization/quantize.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "ir/base/status.h"
#include "ns/findings/lost_channels.h"
#include "ns/quantization/accurate/costly_layers.h"
#include "ns/quantization/accurate/tried_methods.h"
#include "ns/quantization/model/layer_errors.h"
#include "ns/quantization/model/noise_warning.h"
#include "ns/quantization/model/output_error.h"
#include "ns/quantization/model/quantize_model.h"
#include "ns/quantization/model/quantized_engine.h"
#include "ns/quantization/model/target_error.h"
#include "ns/quantization/quantize_once.h"
#include "ns/quantization/try_headroom.h"
#include "passes/quantization/qconfig/quantization_target.h"

namespace ns {
namespace {

// Layers that do harm are looked for on so many batches: those that cost
// outputs, where these are poor and where not, and those that lose channels.
constexpr int64_t kMostOfPoor = 4;
constexpr int64_t kMostOfOthers = 2;
constexpr int64_t kMostToFindLost = 8;

// Outputs with less are worth a dequantize and a quantize around layers that
// cost them much; those with more are as good as int8 gets.
constexpr double kPoorDb = 25;
constexpr double kGoodDb = 35;
// Another mode or target is worth a word if it gains the worst output so much.
// Outputs with kExcellentDb need none.
constexpr double kMuchDb = 6;
constexpr double kLeastAdvisedDb = 1;
constexpr double kExcellentDb = 45;
// Another target is tried on so many batches.
constexpr int64_t kMostToAdvise = 4;
// How often a model is quantized anew to relieve its outputs, and what the
// worst of them must gain each time.
constexpr int kMostRounds = 3;
constexpr double kLeastGainDb = 0.5;

// Whether a few channels of `output` are so large that many others are lost.
bool IsLost(const OutputError& output) {
  return output.channels && LosesChannels(output.sqnr_db, *output.channels);
}

// Returns how many channels have less than 3 dB in outputs that lose most.
int64_t CountLost(const std::vector<OutputError>& outputs) {
  int64_t lost = 0;
  for (const OutputError& output : outputs) {
    lost += IsLost(output) ? output.channels->below_3db : 0;
  }
  return lost;
}

std::string LostWarning(const std::vector<OutputError>& outputs) {
  const OutputError& first = *absl::c_find_if(outputs, IsLost);
  return absl::StrCat(
      first.name, ": ", first.channels->below_3db, " of ",
      first.channels->channels,
      " channels have less than 3 dB, in a range that a few others need; "
      "ns compare shows where, and ns explain outlier-channel what helps");
}

// The lowest SQNR of outputs that hold numbers; +inf without any.
double WorstDb(const std::vector<OutputError>& outputs) {
  double worst = std::numeric_limits<double>::infinity();
  for (const OutputError& output : outputs) {
    if (!output.holds_integers && output.sqnr_db < worst) {
      worst = output.sqnr_db;
    }
  }
  return worst;
}

// Quantizes a model anew where its outputs lose much, with other choices for
// the layers to blame, and keeps what is better.
class Improver {
 public:
  // `result` was made with `options`.
  Improver(const ModelGraph& float_model, const BatchReader& batches,
           QuantizeOptions options, QuantizeResult result)
      : float_model_(float_model),
        batches_(batches),
        options_(std::move(options)),
        result_(std::move(result)),
        unused_rules_(result_.report.unused_rules) {}

  // Leaves in float, or quantizes dynamically, layers that cost the outputs
  // much.
  absl::Status RelieveOutputs() {
    for (int round = 0; round < kMostRounds; ++round) {
      const double worst = WorstDb(result_.outputs);
      if (worst >= kGoodDb) {
        return absl::OkStatus();
      }
      CostlyLayersOptions find;
      find.between_int8 = worst < kPoorDb;
      NS_ASSIGN_OR_RETURN(
          const std::vector<Batch> last,
          LastBatches(find.between_int8 ? kMostOfPoor : kMostOfOthers));
      const absl::StatusOr<CostlyLayers> costly = FindCostlyLayers(
          Source(), result_.quantized, result_.report, last, find);
      // Without shares, as of a model that cannot be differentiated, it stays
      // as it is.
      if (!costly.ok() || costly->empty()) {
        return absl::OkStatus();
      }
      NS_ASSIGN_OR_RETURN(const bool gains, Relieve(*costly, worst));
      if (!gains) {
        return absl::OkStatus();
      }
    }
    return absl::OkStatus();
  }

  // Smooths the layers, where the outputs are poor and gain by it.
  void SmoothLayers() {
    const double worst = WorstDb(result_.outputs);
    if (worst >= kPoorDb || options_.methods.smooth) {
      return;
    }
    QuantizeOptions options = options_;
    options.mapping = result_.mapping;
    options.methods.smooth = true;
    absl::StatusOr<QuantizeResult> trial =
        QuantizeOnce(float_model_, batches_, options);
    if (!trial.ok()) {
      return;
    }
    const double after_db = WorstDb(trial->outputs);
    if (after_db >= worst + kLeastGainDb) {
      warnings_.push_back(absl::StrFormat(
          "smoothing (--smooth) lifts the worst output from %.1f to %.1f dB; "
          "compare the result with the float model that --out-float=PATH "
          "writes, whose weights it has",
          worst, after_db));
      Take(*std::move(trial), std::move(options), {});
    }
  }

  // Leaves layers in float in whose range many channels are lost, where outputs
  // lose channels, and warns of what is lost still.
  absl::Status ProtectChannels() {
    if (CountLost(result_.outputs) == 0) {
      return absl::OkStatus();
    }
    NS_ASSIGN_OR_RETURN(const std::vector<Batch> last,
                        LastBatches(kMostToFindLost));
    NS_ASSIGN_OR_RETURN(const auto lost,
                        LostLayers(float_model_, result_.quantized, last));
    if (!lost.empty()) {
      QuantizeOptions options = options_;
      std::map<std::string, std::string> reasons;
      for (const auto& [name, channels] : lost) {
        options.keep.push_back(name);
        reasons[name] =
            absl::StrCat(channels.below_3db, " of its ", channels.channels,
                         " channels would be lost in the range of the others");
      }
      NS_ASSIGN_OR_RETURN(QuantizeResult better,
                          QuantizeOnce(float_model_, batches_, options));
      if (CountLost(better.outputs) < CountLost(result_.outputs)) {
        Take(std::move(better), std::move(options), std::move(reasons));
      }
    }
    if (CountLost(result_.outputs) > 0) {
      warnings_.push_back(LostWarning(result_.outputs));
    }
    return absl::OkStatus();
  }

  QuantizeResult Result() && {
    QuantizationReport& report = result_.report;
    for (FloatLayer& layer : report.stayed_float) {
      const auto reason = reasons_.find(layer.name);
      if (reason != reasons_.end()) {
        layer.reason = reason->second;
      }
    }
    report.tried.insert(report.tried.end(), tried_.begin(), tried_.end());
    report.warnings.insert(report.warnings.end(), warnings_.begin(),
                           warnings_.end());
    // Rules that were added here are not the user's.
    report.unused_rules = unused_rules_;
    return std::move(result_);
  }

 private:
  // What the quantized model was made of.
  const ModelGraph& Source() const {
    return result_.rescaled ? *result_.rescaled : float_model_;
  }

  absl::StatusOr<std::vector<Batch>> LastBatches(int64_t most) const {
    return batches_.ReadRange(std::max<int64_t>(0, batches_.size() - most),
                              batches_.size());
  }

  // Quantizes anew without `costly`, and returns whether that was kept: it can
  // be done, and the worst output, which has `before_db`, gains enough.
  absl::StatusOr<bool> Relieve(const CostlyLayers& costly, double before_db) {
    QuantizeOptions options = options_;
    // The bits and ranges that were chosen are in the mapping.
    options.mapping = result_.mapping;
    NS_RETURN_IF_ERROR(AddRulesFor(
        costly, Source(), DynamicLinearQConfig(options), *options.mapping));
    std::map<std::string, std::string> reasons;
    for (const auto& [name, reason] : costly.to_float) {
      // Rules do not say it of ops that keep the range of their input.
      options.keep.push_back(name);
      reasons[name] = reason;
    }
    absl::StatusOr<QuantizeResult> trial =
        QuantizeOnce(float_model_, batches_, options);
    if (!trial.ok()) {
      return false;
    }
    const double after_db = WorstDb(trial->outputs);
    const bool gains = after_db >= before_db + kLeastGainDb;
    const auto add_tried = [&](const std::map<std::string, std::string>& layers,
                               absl::string_view method) {
      for (const auto& [name, reason] : layers) {
        tried_.push_back({name, std::string(method), before_db, after_db,
                          gains ? "" : std::string(kNoGain),
                          /*is_of_outputs=*/true});
      }
    };
    add_tried(costly.to_float, "computing in float");
    add_tried(costly.to_dynamic, "dynamic activations");
    if (gains) {
      Take(*std::move(trial), std::move(options), std::move(reasons));
    }
    return gains;
  }

  void Take(QuantizeResult result, QuantizeOptions options,
            std::map<std::string, std::string> reasons) {
    result_ = std::move(result);
    options_ = std::move(options);
    reasons_.merge(reasons);
  }

  const ModelGraph& float_model_;
  const BatchReader& batches_;
  QuantizeOptions options_;
  QuantizeResult result_;
  // Why layers stay in float, by name.
  std::map<std::string, std::string> reasons_;
  std::vector<TriedMethod> tried_;
  std::vector<std::string> warnings_;
  const std::vector<std::string> unused_rules_;
};

// Warns of outputs that are mostly noise, and names the layer to blame.
void WarnOfNoise(const ModelGraph& float_model, const BatchReader& batches,
                 QuantizeOptions options, QuantizeResult& result) {
  const std::string noisy = NoisyOutput(result.outputs);
  if (noisy.empty()) {
    return;
  }
  options.mapping = result.mapping;
  result.report.warnings.push_back(
      options.reference
          ? NoiseWarning(noisy)
          : NoiseWarning(noisy,
                         result.rescaled ? *result.rescaled : float_model,
                         result.quantized, batches, options));
}

// Adds what the mode kDynamic has, where the outputs of a static model are poor
// and gain much by it.
absl::Status AdviseMode(const ModelGraph& float_model,
                        const BatchReader& batches, QuantizeOptions options,
                        QuantizeResult& result) {
  const double worst = WorstDb(result.outputs);
  if (worst >= kPoorDb) {
    return absl::OkStatus();
  }
  options.mode = QuantizeMode::kDynamic;
  NS_ASSIGN_OR_RETURN(const QuantizeResult dynamic,
                      QuantizeOnce(float_model, batches, options));
  const double dynamic_db = WorstDb(dynamic.outputs);
  const size_t layers = dynamic.report.layers.size();
  if (layers > 0 && dynamic_db >= worst + kMuchDb) {
    result.advice.push_back(absl::StrFormat(
        "--mode=dynamic: %.1f dB in the worst output, for %.1f dB here; %d %s "
        "in int8, for %d here",
        dynamic_db, worst, layers, layers == 1 ? "layer" : "layers",
        result.report.layers.size()));
  }
  return absl::OkStatus();
}

// Adds what activations of 8 bits have, where those of 7 are only a default.
absl::Status AdviseTarget(const ModelGraph& float_model,
                          const BatchReader& batches,
                          const QuantizeOptions& options,
                          QuantizeResult& result) {
  if (options.target || !NarrowsActivations(TargetOf(options)) ||
      WorstDb(result.outputs) >= kExcellentDb) {
    return absl::OkStatus();
  }
  QuantizeOptions whole = options;
  whole.target = QuantizationTarget::kFbgemmVnni;
  whole.progress = nullptr;
  NS_ASSIGN_OR_RETURN(
      const std::vector<Batch> last,
      batches.ReadRange(std::max<int64_t>(0, batches.size() - kMostToAdvise),
                        batches.size()));
  NS_ASSIGN_OR_RETURN(const QuantizedModel other,
                      QuantizeModel(float_model, last, whole));
  TargetError error(float_model, last);
  NS_ASSIGN_OR_RETURN(const double here,
                      error.WorstDb(result.quantized, options));
  NS_ASSIGN_OR_RETURN(const double there, error.WorstDb(other.model, whole));
  const auto advise = [&](absl::string_view where, double db) {
    if (db >= here + kLeastAdvisedDb) {
      result.advice.push_back(absl::StrFormat(
          "--target=%s, %s: %.1f dB in the worst output, for %.1f dB here (the "
          "last %d batches)",
          TargetName(*whole.target), where, db, here, last.size()));
    }
  };
  advise("if the servers have VNNI", there);
  whole.target = QuantizationTarget::kNs;
  NS_ASSIGN_OR_RETURN(const double lowered, error.WorstDb(other.model, whole));
  advise("if ns lower --fewer-roundings makes the model that is served",
         lowered);
  return absl::OkStatus();
}

// Does what Quantize does, with the headroom of `options`.
absl::StatusOr<QuantizeResult> QuantizeAndImprove(
    const ModelGraph& float_model, const BatchReader& batches,
    const QuantizeOptions& options) {
  NS_ASSIGN_OR_RETURN(QuantizeResult result,
                      QuantizeOnce(float_model, batches, options));
  if (options.mode == QuantizeMode::kStatic && !options.compat &&
      !options.allow_lost_channels) {
    Improver improver(float_model, batches, options, std::move(result));
    if (!options.mapping && !options.reference) {
      NS_RETURN_IF_ERROR(improver.RelieveOutputs());
      improver.SmoothLayers();
    }
    NS_RETURN_IF_ERROR(improver.ProtectChannels());
    result = std::move(improver).Result();
  }
  if (options.mode == QuantizeMode::kStatic && !options.compat &&
      !options.mapping && !options.reference) {
    // What cannot be tried needs no advice.
    AdviseMode(float_model, batches, options, result).IgnoreError();
    AdviseTarget(float_model, batches, options, result).IgnoreError();
  }
  WarnOfNoise(float_model, batches, options, result);
  return result;
}

}  // namespace

absl::StatusOr<QuantizeResult> Quantize(const ModelGraph& float_model,
                                        const BatchReader& batches,
                                        const QuantizeOptions& options) {
  const ScopedEngine engine(EngineOf(options.backend));
  const auto tried = TryHeadroom(float_model, batches, options);
  // What keeps it from being tried is an error of what follows, too.
  const auto headroom = tried.ok() ? *tried : std::nullopt;
  QuantizeOptions chosen = options;
  if (headroom && headroom->IsKept()) {
    chosen.headroom = headroom->factor;
  }
  NS_ASSIGN_OR_RETURN(QuantizeResult result,
                      QuantizeAndImprove(float_model, batches, chosen));
  result.headroom = headroom;
  return result;
}

absl::StatusOr<QuantizeResult> QuantizePrepared(
    ModelGraph prepared, const BatchReader& batches,
    const QuantizeOptions& options) {
  const ScopedEngine engine(EngineOf(options.backend));
  NS_ASSIGN_OR_RETURN(
      QuantizeResult result,
      QuantizePreparedOnce(std::move(prepared), batches, options));
  if (const std::string noisy = NoisyOutput(result.outputs); !noisy.empty()) {
    result.report.warnings.push_back(NoiseWarning(noisy));
  }
  return result;
}

}  // namespace ns
