// Makes one graph of two models that compares them as they run.
#ifndef PASSES_INSTRUMENT_PAIR_PAIR_MODELS_H_
#define PASSES_INSTRUMENT_PAIR_PAIR_MODELS_H_

#include "absl/status/statusor.h"
#include "ir/model/model_graph.h"
#include "passes/instrument/pair/pair_plan.h"
#include "passes/instrument/pair/paired_models.h"
#include "passes/matching/graph_matcher.h"

namespace ns {

// Copies of both models in one graph: the nodes of each in their order,
// interleaved so that what is compared is at hand together and dies early.
//
//   graph(%self, %x):
//     %a1 = aten::conv2d(%x, ...)
//     %guard = prim::GetAttr[name="ns_shadow_guard_0"](%self)
//     %made, %tensors = ns::run_shadow(%guard, %self, "ns_shadow_0", 1, %x)
//     %s1 = aten::__getitem__(%tensors, 0)        # the shadow, on B's input
//     %b1 = quantized::conv2d(%x, ...)
//     %comparer = prim::GetAttr[name="ns_comparer_0"](%self)
//     prim::CallMethod[name="compare"](%comparer, %a1, %b1)
//     prim::If(%made)
//       block0():
//         %of_shadow = prim::GetAttr[name="ns_comparer_1"](%self)
//         prim::CallMethod[name="compare"](%of_shadow, %s1, %b1)
//         ...
//
// Other outputs of a match come by and are compared in the same way, behind the
// first.
//
// Each model computes what it does by itself, bit for bit but for what is
// fused. Neither graph is changed; attributes that a model writes to are shared
// with it. Control flow stays: see interleave.h. Where the models take
// different ways, nothing is compared, and the comparers count it. `matches` is
// of these two graphs.
//
// To run it, give it the arguments of A, defaults filled in, and then those of
// B that it has for itself, copied; after each batch, call EndBatch of every
// comparer. Error: graphs that cannot be put together, which is a fault of
// ours.
absl::StatusOr<PairedModels> PairModels(const ModelGraph& a,
                                        const ModelGraph& b,
                                        const MatchResult& matches,
                                        const PairPlan& plan);

}  // namespace ns

#endif  // PASSES_INSTRUMENT_PAIR_PAIR_MODELS_H_
