// Compares the weights of matched layers.
#ifndef NS_SUITE_MATCHED_WEIGHTS_H_
#define NS_SUITE_MATCHED_WEIGHTS_H_

#include "absl/status/status.h"
#include "ir/model/model_graph.h"
#include "ns/result/comparison_result.h"
#include "passes/extraction/weight_extraction.h"
#include "passes/matching/graph_matcher.h"

namespace ns {

struct MatchedWeightsOptions {
  // Where ops of the user keep their weights.
  OpToWeightExtractionFn op_to_weight_extraction_fn;
  // Whether WeightComparison::histograms are made.
  bool histograms = false;
};

// Sets LayerComparison::weights of the layers of `result`, which has one for
// each of `matches` already, in their order (ResultOfMatches). A batch norm
// behind the op in its subgraph is folded into the weight (passes/analysis/
// subgraph_weights.h), but not into what a function of the user returns.
// Quantize points, and layers without constant weights on a side, get none. Of
// two sides with different numbers of weights, the first ones are compared.
// Weights of different shapes get a warning in `result`. Error, naming the
// model's file and the layer: weights that cannot be read or compared.
absl::Status CompareMatchedWeights(const ModelGraph& float_model,
                                   const ModelGraph& quantized_model,
                                   const MatchResult& matches,
                                   const MatchedWeightsOptions& options,
                                   ComparisonResult& result);

}  // namespace ns

#endif  // NS_SUITE_MATCHED_WEIGHTS_H_
