#include "ns/quantization/model/layer_errors.h"

#include <cmath>
#include <optional>

#include "ir/base/status.h"
#include "ir/graph/pass_context.h"
#include "ns/batches/batch_reader.h"
#include "ns/result/comparison_result.h"
#include "ns/suite/compare_models.h"
#include "ns/suite/compare_options.h"
#include "passes/lowering/lower_to_fbgemm.h"
#include "passes/quantization/layers/float_subgraphs.h"

namespace ns {

absl::StatusOr<std::map<std::string, double>> LayerErrors(
    const ModelGraph& float_model, const ModelGraph& quantized,
    absl::Span<const Batch> batches, LayerErrorKind kind) {
  // Comparisons are named after ops of the quantized model, which may be other
  // layers' names in the float one.
  NS_ASSIGN_OR_RETURN(const ModelGraph copy, float_model.Clone());
  const std::vector<FloatSubgraph> layers =
      FindFloatSubgraphs(copy.graph(), {}, FusingOps::kLibTorch);
  MarkLayers(layers);
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
      CompareModels(copy, lowered,
                    BatchReader::FromBatches({batches.begin(), batches.end()}),
                    options));
  std::map<std::string, double> errors;
  for (const LayerComparison& compared : result.layers) {
    const std::optional<ActivationComparison>& figures =
        kind == LayerErrorKind::kByItself ? compared.shadow
                                          : compared.activation;
    if (compared.id && figures && !std::isnan(figures->error.sqnr_db)) {
      errors[LayerOf(layers, *compared.id).name] = figures->error.sqnr_db;
    }
  }
  return errors;
}

}  // namespace ns
