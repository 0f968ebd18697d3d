// Runs a float model and its quantized self side by side in one graph.
#ifndef NS_N_SHADOWS_PREPARE_N_SHADOWS_ADD_LOGGERS_MODEL_H_
#define NS_N_SHADOWS_PREPARE_N_SHADOWS_ADD_LOGGERS_MODEL_H_

#include "absl/status/statusor.h"
#include "ir/model/model_graph.h"
#include "ns/n_shadows/prepare_n_shadows_model.h"
#include "passes/quantization/qconfig/qconfig_mapping.h"

namespace ns {

// Copies `model` and adds to the copy a second path: all of its ops once more,
// from the same inputs, with each subgraph (FindFloatSubgraphs) quantized as
// `mapping` says. Loggers compare the output of each subgraph on the second
// path with that on the float path (reference:
// prepare_n_shadows_add_loggers_model). Candidates of PrepareNShadowsModel take
// the values of the float model; a subgraph of the second path takes what the
// one before it made, so that errors add up, as in the quantized model.
//
//   x -> op0 ---> log0 -> op1 ---> log1 -> output
//    \-> op0_q -> clog0 -> op1_q -> clog1
//
// The copy returns what `model` does, bit for bit, but for random ops, which
// draw anew on each path. `model` must not write to the tensors of a list that
// it is given: both paths would. Calibrate, convert, enable, run and read the
// copy as PrepareNShadowsModel says. Its results have one candidate for each
// subgraph, number 0: the second path. Where the mapping has no qconfig, that
// path goes on in float, and the candidate is called "none". Static ranges are
// those of the float path.
//
// Subgraphs inside control flow are quantized, but not compared. A subgraph
// that is a prim::If with the same op in both arms, which only tells shapes
// apart, stays in float and is listed as skipped. A quantized op that works in
// place overwrites the copy that its quantizer made: other ops of the second
// path still read the value as it was before. Errors: as of
// PrepareNShadowsModel, and a `model` that writes to its attributes.
absl::StatusOr<NShadowsModel> PrepareNShadowsAddLoggersModel(
    const ModelGraph& model, const QConfigMapping& mapping,
    const NShadowsOptions& options = {});

}  // namespace ns

#endif  // NS_N_SHADOWS_PREPARE_N_SHADOWS_ADD_LOGGERS_MODEL_H_
