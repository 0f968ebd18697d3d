// Lowers a model that is matched already.
#ifndef PASSES_LOWERING_LOWER_MATCHED_H_
#define PASSES_LOWERING_LOWER_MATCHED_H_

#include "absl/status/status.h"
#include "ir/model_graph.h"
#include "ir/pass_context.h"
#include "passes/kernels/saturation_mode.h"
#include "passes/matching/graph_matcher.h"

namespace ns {

// As LowerToFbgemm, of the graph of `b`, without fusion, so that everything
// that is matched stays: side b of `matches` then names the ns kernels. Layers
// that were lowered before take on `numerics`, too. Remarks go to `context`.
absl::Status LowerMatched(ModelGraph& b, MatchResult& matches,
                          kernels::SaturationMode numerics,
                          PassContext& context);

}  // namespace ns

#endif  // PASSES_LOWERING_LOWER_MATCHED_H_
