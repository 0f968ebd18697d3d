// Puts the copy of one model's subgraph beside its counterpart in another.
#ifndef PASSES_INSTRUMENT_INSERT_SHADOW_H_
#define PASSES_INSTRUMENT_INSERT_SHADOW_H_

#include "absl/status/statusor.h"
#include "ir/model_graph.h"
#include "passes/analysis/subgraph.h"
#include "passes/analysis/value_facts.h"
#include "passes/matching/graph_matcher.h"
#include "passes/rewrite/copy_subgraph.h"

namespace ns {

// Copies the subgraph of `side`, which is in `source`, in front of `shadowed`,
// its counterpart in `host`, and feeds it with what that is fed, cast to what
// the original computes with (see shadow_casts.h):
//
//   %y = quantized::conv2d_relu(%x, %packed, %scale, %zero_point)
// becomes
//   %float = ns::as_float(%x)
//   %shadow = aten::conv2d(%float, %weight, ...)
//   %shadow_relu = aten::relu(%shadow)
//   %y = quantized::conv2d_relu(%x, %packed, %scale, %zero_point)
//
// In front, since what is shadowed may overwrite its inputs. `counterparts` is
// as in CopySubgraph, `facts` are those of the graph of `source`. Error:
// the reason why it cannot be shadowed; the graph of `host` is then as it was.
absl::StatusOr<CopiedSubgraph> InsertShadow(
    const ModelGraph& source, const MatchedSide& side, ModelGraph& host,
    const Subgraph& shadowed, const ValueCounterparts& counterparts,
    const ValueFacts& facts);

}  // namespace ns

#endif  // PASSES_INSTRUMENT_INSERT_SHADOW_H_
