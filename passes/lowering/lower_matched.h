// Lowers a model that is matched already.
#ifndef PASSES_LOWERING_LOWER_MATCHED_H_
#define PASSES_LOWERING_LOWER_MATCHED_H_

#include "absl/status/statusor.h"
#include "ir/model_graph.h"
#include "passes/kernels/numerics.h"
#include "passes/lowering/lower_to_fbgemm.h"
#include "passes/matching/graph_matcher.h"

namespace ns {

// As LowerToFbgemm, of the graph of `b`, without fusion, so that everything
// that is matched stays: side b of `matches` then names the ops of ours. Layers
// that were lowered before take on `numerics`, too.
absl::StatusOr<LoweringReport> LowerMatched(ModelGraph& b, MatchResult& matches,
                                            kernels::Numerics numerics);

}  // namespace ns

#endif  // PASSES_LOWERING_LOWER_MATCHED_H_
