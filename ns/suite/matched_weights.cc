#include "ns/suite/matched_weights.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/base/status.h"
#include "ns/suite/compare_weight.h"
#include "passes/analysis/subgraph.h"

namespace ns {
namespace {

// Puts the file of `model`, if it has one, in front of an error.
template <typename Value>
absl::StatusOr<Value> OfFile(const ModelGraph& model,
                             absl::StatusOr<Value> result) {
  return model.source().empty() ? std::move(result)
                                : Annotated(model.source(), std::move(result));
}

absl::StatusOr<std::vector<NamedTensor>> WeightsOf(
    const ModelGraph& model, const std::string& layer, const Subgraph& subgraph,
    const MatchedWeightsOptions& options) {
  return OfFile(
      model,
      Annotated(layer, MatchedWeights(subgraph, model,
                                      options.op_to_weight_extraction_fn)));
}

absl::StatusOr<std::vector<WeightComparison>> CompareWeights(
    const ModelGraph& a, const ModelGraph& b, const SubgraphMatch& match,
    const MatchedWeightsOptions& options, std::vector<std::string>& warnings) {
  std::vector<WeightComparison> comparisons;
  if (match.is_quantize_point) {
    return comparisons;
  }
  NS_ASSIGN_OR_RETURN(const std::vector<NamedTensor> of_float,
                      WeightsOf(a, match.name, match.a.subgraph, options));
  NS_ASSIGN_OR_RETURN(const std::vector<NamedTensor> of_quantized,
                      WeightsOf(b, match.name, match.b.subgraph, options));
  const size_t count = std::min(of_float.size(), of_quantized.size());
  for (size_t i = 0; i < count; ++i) {
    NS_ASSIGN_OR_RETURN(
        std::optional<WeightComparison> comparison,
        OfFile(b, CompareWeight(match.name, of_quantized[i].name,
                                of_float[i].value, of_quantized[i].value,
                                options.histograms, warnings)));
    if (comparison) {
      comparisons.push_back(*std::move(comparison));
    }
  }
  return comparisons;
}

}  // namespace

absl::Status CompareMatchedWeights(const ModelGraph& float_model,
                                   const ModelGraph& quantized_model,
                                   const MatchResult& matches,
                                   const MatchedWeightsOptions& options,
                                   ComparisonResult& result) {
  for (size_t i = 0; i < matches.matches.size(); ++i) {
    NS_ASSIGN_OR_RETURN(
        result.layers[i].weights,
        CompareWeights(float_model, quantized_model, matches.matches[i],
                       options, result.warnings));
  }
  return absl::OkStatus();
}

}  // namespace ns
