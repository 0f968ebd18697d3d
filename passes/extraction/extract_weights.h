// The weights of matched subgraphs, side by side.
#ifndef PASSES_EXTRACTION_EXTRACT_WEIGHTS_H_
#define PASSES_EXTRACTION_EXTRACT_WEIGHTS_H_

#include <string>

#include "absl/status/statusor.h"
#include "passes/extraction/results.h"
#include "passes/matching/graph_matcher.h"

namespace ns {

// For every match whose base ops have constant weights, one record a weight
// under type kWeightResult and each model's name (reference: extract_weights).
// Weights of A have the batch norm folded in that B's weights have. Values of B
// are as stored: quantized. Layers without weights are left out.
absl::StatusOr<Results> ExtractWeights(const std::string& name_a,
                                       const std::string& name_b,
                                       const MatchResult& matches);

}  // namespace ns

#endif  // PASSES_EXTRACTION_EXTRACT_WEIGHTS_H_
