// Instruments two models to find out which layers the error of their outputs
// comes from.
#ifndef PASSES_INSTRUMENT_ATTRIBUTION_INSERT_ATTRIBUTION_TAPS_H_
#define PASSES_INSTRUMENT_ATTRIBUTION_INSERT_ATTRIBUTION_TAPS_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/model/model_graph.h"
#include "passes/matching/graph_matcher.h"
#include "passes/runtime/attribution/attribution_tap.h"

namespace ns {

// The taps of each match; none where its outputs are neither tensors nor
// elements of a tuple.
using AttributionTaps = std::vector<std::vector<AttributionTapPtr>>;

// Puts a tap on each output of each match, in both graphs:
//
//   a: %y = aten::linear(%x, %weight, %bias)
//      %r = aten::relu(%y)
//      return (%r)
//   b: %r = quantized::linear_relu(%x, %packed, %scale, %zero_point)
//      return (%r)
// becomes
//   a: %y = aten::linear(%x, %weight, %bias)
//      %r = aten::relu(%y)
//      %tapped = prim::CallMethod[name="forward"](%tap, %r)
//      return (%tapped)
//   b: %r = quantized::linear_relu(%x, %packed, %scale, %zero_point)
//      %none = prim::CallMethod[name="see"](%tap, %r)
//      return (%r)
//
// Of a tuple, the tensor is tapped, and a new tuple takes its place:
//
//   %t = prim::CallMethod[name="forward"](%attention, %x)
//   %y : Tensor, %w : Tensor? = prim::TupleUnpack(%t)
//   %tapped = prim::CallMethod[name="forward"](%tap, %y)
//   %u : (Tensor, Tensor?) = prim::TupleConstruct(%tapped, %w)
//
// At a quantize point, only the ops of A take the tapped value whose
// counterparts in B take what is quantized there. Graph A can be differentiated
// afterwards where it writes in place (passes/rewrite/differentiable_graph.h).
//
// `matches` is of these two graphs, and is not valid for A afterwards. Points
// inside control flow whose value comes from outside have no tap. `run` is what
// the taps follow, and the caller sets. Error: one of LibTorch.
absl::StatusOr<AttributionTaps> InsertAttributionTaps(
    ModelGraph& a, ModelGraph& b, const MatchResult& matches,
    const std::shared_ptr<const AttributionRun>& run);

}  // namespace ns

#endif  // PASSES_INSTRUMENT_ATTRIBUTION_INSERT_ATTRIBUTION_TAPS_H_
