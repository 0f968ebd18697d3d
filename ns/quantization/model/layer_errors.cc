#include "ns/quantization/model/layer_errors.h"

#include <cmath>
#include <functional>
#include <optional>

#include "ir/base/status.h"
#include "ir/graph/pass_context.h"
#include "ns/batches/batch_reader.h"
#include "ns/findings/lost_channels.h"
#include "ns/findings/output_shares.h"
#include "ns/suite/compare_models.h"
#include "ns/suite/compare_options.h"
#include "passes/lowering/lower_to_fbgemm.h"

namespace ns {
namespace {

// Calls `see` with the name of each layer of `float_model` and its comparison.
absl::Status CompareLayers(
    const ModelGraph& float_model, const ModelGraph& quantized,
    absl::Span<const Batch> batches, LayerErrorKind kind,
    const std::function<void(const std::string& name,
                             const LayerComparison& layer)>& see) {
  // Ours are LibTorch's layers with the clamps behind them. Without these, what
  // a layer clips that the clamp would cut off counts as an error.
  NS_ASSIGN_OR_RETURN(ModelGraph lowered, quantized.Clone());
  PassContext context;
  NS_RETURN_IF_ERROR(LowerToFbgemm().Run(lowered, context).status());
  CompareOptions options;
  options.weights = false;
  options.activations = kind == LayerErrorKind::kInModel;
  options.shadows = kind == LayerErrorKind::kByItself;
  NS_ASSIGN_OR_RETURN(
      const ComparisonResult result,
      CompareModels(float_model, lowered,
                    BatchReader::FromBatches({batches.begin(), batches.end()}),
                    options));
  for (const LayerComparison& layer : result.layers) {
    // Its own name is that of an op of the quantized model, which may be
    // another layer's in the float one.
    if (!layer.float_layer.empty()) {
      see(layer.float_layer, layer);
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::map<std::string, double>> LayerErrors(
    const ModelGraph& float_model, const ModelGraph& quantized,
    absl::Span<const Batch> batches, LayerErrorKind kind) {
  std::map<std::string, double> errors;
  NS_RETURN_IF_ERROR(CompareLayers(
      float_model, quantized, batches, kind,
      [&](const std::string& name, const LayerComparison& layer) {
        const std::optional<ActivationComparison>& figures =
            kind == LayerErrorKind::kByItself ? layer.shadow : layer.activation;
        if (figures && !std::isnan(figures->error.sqnr_db)) {
          errors[name] = figures->error.sqnr_db;
        }
      }));
  return errors;
}

absl::StatusOr<std::map<std::string, ChannelSummary>> LostLayers(
    const ModelGraph& float_model, const ModelGraph& quantized,
    absl::Span<const Batch> batches) {
  std::map<std::string, ChannelSummary> lost;
  NS_RETURN_IF_ERROR(
      CompareLayers(float_model, quantized, batches, LayerErrorKind::kByItself,
                    [&](const std::string& name, const LayerComparison& layer) {
                      if (LosesChannels(layer)) {
                        lost[name] = *layer.shadow->channels;
                      }
                    }));
  return lost;
}

absl::StatusOr<std::map<std::string, double>> OutputShares(
    const ModelGraph& float_model, const ModelGraph& quantized,
    absl::Span<const Batch> batches) {
  CompareOptions options;
  options.weights = false;
  options.activations = options.shadows = true;
  NS_ASSIGN_OR_RETURN(
      const ComparisonResult result,
      CompareModels(float_model, quantized,
                    BatchReader::FromBatches({batches.begin(), batches.end()}),
                    options));
  std::map<std::string, double> shares;
  if (!SharesHold(result)) {
    return shares;
  }
  for (const LayerComparison& layer : result.layers) {
    if (!layer.float_layer.empty() && layer.output_share) {
      shares[layer.float_layer] += *layer.output_share;
    }
  }
  return shares;
}

}  // namespace ns
