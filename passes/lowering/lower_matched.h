// Lowers a quantized model that is matched with a float model already, and
// keeps the matches.
#ifndef PASSES_LOWERING_LOWER_MATCHED_H_
#define PASSES_LOWERING_LOWER_MATCHED_H_

#include "absl/status/status.h"
#include "ir/graph/pass_context.h"
#include "ir/model/model_graph.h"
#include "passes/kernels/saturation_mode.h"
#include "passes/matching/graph_matcher.h"

namespace ns {

// Lowers the graph of `b` as LowerToFbgemm does, but without fusion, so that
// every matched op has a counterpart. Side b of `matches` then refers to the ns
// ops. Layers that were lowered before get the saturation mode `numerics`, too.
// Remarks go to `context`. Error: that of LowerToFbgemm, or a matched op that
// has no counterpart, which is a fault of ours; do not use `b` and `matches`
// then.
absl::Status LowerMatched(ModelGraph& b, MatchResult& matches,
                          kernels::SaturationMode numerics,
                          PassContext& context);

}  // namespace ns

#endif  // PASSES_LOWERING_LOWER_MATCHED_H_
