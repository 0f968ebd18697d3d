#include "ns/quantization/model/layer_errors.h"

#include <cmath>
#include <cstddef>
#include <optional>

#include "ir/base/status.h"
#include "ir/graph/pass_context.h"
#include "llvm/ADT/DenseMap.h"
#include "ns/batches/batch_reader.h"
#include "ns/result/comparison_result.h"
#include "ns/suite/compare_models.h"
#include "ns/suite/compare_options.h"
#include "passes/lowering/lower_to_fbgemm.h"
#include "passes/matching/graph_matcher.h"
#include "passes/quantization/layers/float_subgraphs.h"

namespace ns {
namespace {

// The names of layers, by their base op.
llvm::DenseMap<const torch::jit::Node*, std::string> NamesOf(
    ModelGraph& model) {
  llvm::DenseMap<const torch::jit::Node*, std::string> names;
  for (const FloatSubgraph& layer :
       FindFloatSubgraphs(model.graph(), {}, FusingOps::kLibTorch)) {
    names[layer.subgraph.base] = layer.name;
  }
  return names;
}

}  // namespace

absl::StatusOr<std::map<std::string, double>> LayerErrors(
    const ModelGraph& float_model, const ModelGraph& quantized,
    absl::Span<const Batch> batches, LayerErrorKind kind) {
  // Names of matches are those of ops in the quantized model, which may be
  // other layers' names in the float one.
  NS_ASSIGN_OR_RETURN(ModelGraph copy, float_model.Clone());
  // Ours are LibTorch's layers with the clamps behind them. Without these, what
  // a layer clips that the clamp would cut off counts as an error.
  NS_ASSIGN_OR_RETURN(ModelGraph lowered, quantized.Clone());
  PassContext context;
  NS_RETURN_IF_ERROR(LowerToFbgemm().Run(lowered, context).status());
  NS_ASSIGN_OR_RETURN(const MatchResult matches, MatchSubgraphs(copy, lowered));
  const llvm::DenseMap<const torch::jit::Node*, std::string> names =
      NamesOf(copy);
  CompareOptions options;
  options.weights = false;
  options.activations = kind == LayerErrorKind::kInModel;
  options.shadows = kind == LayerErrorKind::kByItself;
  NS_ASSIGN_OR_RETURN(
      const ComparisonResult result,
      CompareModels(copy, lowered,
                    BatchReader::FromBatches({batches.begin(), batches.end()}),
                    options));
  // CompareModels matches in the same way: its layer i is match i.
  std::map<std::string, double> errors;
  for (size_t i = 0; i < matches.matches.size(); ++i) {
    const SubgraphMatch& match = matches.matches[i];
    const auto name = names.find(match.a.subgraph.base);
    const LayerComparison& layer = result.layers[i];
    const std::optional<ActivationComparison>& figures =
        kind == LayerErrorKind::kByItself ? layer.shadow : layer.activation;
    if (!match.is_quantize_point && name != names.end() && figures &&
        !std::isnan(figures->error.sqnr_db)) {
      errors[name->second] = figures->error.sqnr_db;
    }
  }
  return errors;
}

}  // namespace ns
