#include "ns/quantization/model/noise_warning.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "ir/base/status.h"
#include "ns/batches/batch.h"
#include "ns/quantization/model/layer_errors.h"
#include "ns/quantization/model/quantize_model.h"
#include "ns/quantization/model/quantized_engine.h"
#include "ns/quantization/model/target_error.h"

namespace ns {
namespace {

constexpr int64_t kMostBatches = 8;
constexpr size_t kMostTried = 3;
constexpr double kLeastGain = 1;

using Layer = std::pair<std::string, double>;

// The layers with the lowest figures, the lowest first.
std::vector<Layer> Lowest(const std::map<std::string, double>& errors) {
  std::vector<Layer> layers;
  for (const auto& [name, db] : errors) {
    if (std::isfinite(db)) {
      layers.emplace_back(name, db);
    }
  }
  std::stable_sort(
      layers.begin(), layers.end(),
      [](const Layer& a, const Layer& b) { return a.second < b.second; });
  layers.resize(std::min(layers.size(), kMostTried));
  return layers;
}

// The worst output of the model with one more layer in float.
absl::StatusOr<double> WorstDbWithout(const std::string& layer,
                                      const ModelGraph& float_model,
                                      const std::vector<Batch>& batches,
                                      QuantizeOptions options,
                                      TargetError& error) {
  options.keep.push_back(layer);
  options.progress = nullptr;
  NS_ASSIGN_OR_RETURN(const QuantizedModel quantized,
                      QuantizeModel(float_model, batches, options));
  return error.WorstDb(quantized.model, options);
}

// What the warning says of the layers.
absl::StatusOr<std::string> Blamed(const ModelGraph& float_model,
                                   const ModelGraph& quantized,
                                   const BatchReader& reader,
                                   const QuantizeOptions& options) {
  NS_ASSIGN_OR_RETURN(
      const std::vector<Batch> batches,
      reader.ReadRange(std::max<int64_t>(0, reader.size() - kMostBatches),
                       reader.size()));
  NS_ASSIGN_OR_RETURN(const auto errors,
                      LayerErrors(float_model, quantized, batches));
  const std::vector<Layer> layers = Lowest(errors);
  if (layers.empty()) {
    return absl::NotFoundError("no layer has a figure");
  }
  TargetError error(float_model, batches);
  NS_ASSIGN_OR_RETURN(const double before, error.WorstDb(quantized, options));
  const Layer* best = nullptr;
  double best_db = before + kLeastGain;
  for (const Layer& layer : layers) {
    NS_ASSIGN_OR_RETURN(
        const double db,
        WorstDbWithout(layer.first, float_model, batches, options, error));
    if (db >= best_db) {
      best = &layer;
      best_db = db;
    }
  }
  if (best == nullptr) {
    return absl::StrFormat(
        "leaving one of the layers with the lowest SQNR in float ('%s', %.1f "
        "dB by itself%s) gains less than 1 dB; try another --mode or --keep "
        "several layers",
        layers.front().first, layers.front().second,
        layers.size() > 1 ? absl::StrCat(", and ", layers.size() - 1, " more")
                          : "");
  }
  return absl::StrFormat(
      "'%s' (%.1f dB by itself) costs most; with --keep=%s, the worst output "
      "%s%s",
      best->first, best->second, best->first,
      std::isfinite(best_db) ? absl::StrFormat("has %.1f dB", best_db)
                             : "is exact",
      reader.size() > kMostBatches
          ? absl::StrFormat(" on the last %d batches", kMostBatches)
          : "");
}

}  // namespace

std::string NoisyOutput(const std::vector<OutputError>& outputs) {
  const OutputError* worst = nullptr;
  for (const OutputError& output : outputs) {
    if (!output.holds_integers && output.sqnr_db < kNoiseDb &&
        (worst == nullptr || output.sqnr_db < worst->sqnr_db)) {
      worst = &output;
    }
  }
  return worst == nullptr
             ? ""
             : absl::StrFormat("%s has %.1f dB", worst->name, worst->sqnr_db);
}

std::string NoiseWarning(const std::string& noisy,
                         const ModelGraph& float_model,
                         const ModelGraph& quantized,
                         const BatchReader& batches,
                         const QuantizeOptions& options) {
  const ScopedEngine engine(EngineOf(options.backend));
  const absl::StatusOr<std::string> blamed =
      Blamed(float_model, quantized, batches, options);
  return blamed.ok() ? absl::StrCat("the model returns mostly noise: ", noisy,
                                    "; ", *blamed)
                     : NoiseWarning(noisy);
}

std::string NoiseWarning(const std::string& noisy) {
  return absl::StrCat("the model returns mostly noise: ", noisy,
                      "; ns compare shows which layers lose most");
}

}  // namespace ns
