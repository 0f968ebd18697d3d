// Runs a float model and its quantized self side by side in one graph.
#ifndef NS_N_SHADOWS_PREPARE_N_SHADOWS_ADD_LOGGERS_MODEL_H_
#define NS_N_SHADOWS_PREPARE_N_SHADOWS_ADD_LOGGERS_MODEL_H_

#include "absl/status/statusor.h"
#include "ir/model_graph.h"
#include "ns/n_shadows/prepare_n_shadows_model.h"
#include "passes/quantization/qconfig_mapping.h"

namespace ns {

// Copies `model` and adds to the copy a second path from the inputs through all
// of its ops, in which each subgraph (FindFloatSubgraphs) is quantized as
// `mapping` says, and a logger that compares each with the float path's
// (reference: prepare_n_shadows_add_loggers_model). Where candidates of
// PrepareNShadowsModel see float inputs, a subgraph of this path sees what the
// one before it made: errors add up, as in the quantized model.
//
//   x -> op0 ---> log0 -> op1 ---> log1 -> output
//    \-> op0_q -> clog0 -> op1_q -> clog1
//
// The copy returns what `model` does, bit for bit. It is calibrated, converted,
// enabled, run and read as PrepareNShadowsModel says; candidate 0 is the
// quantized path, which goes on in float where the mapping has no qconfig
// ("none"). Static ranges are those of the float path.
//
// Subgraphs inside control flow are quantized and not compared, ops in both
// arms of a prim::If that only tells shapes apart not even that: they are
// listed as skipped. A quantized op that works in place overwrites the copy
// that its quantizer made: on this path, others go on reading what it was
// given. Random ops draw anew on each path. Errors: as of PrepareNShadowsModel.
absl::StatusOr<NShadowsModel> PrepareNShadowsAddLoggersModel(
    const ModelGraph& model, const QConfigMapping& mapping,
    const NShadowsOptions& options = {});

}  // namespace ns

#endif  // NS_N_SHADOWS_PREPARE_N_SHADOWS_ADD_LOGGERS_MODEL_H_
