// Lets every subgraph of a float model be shadowed by N quantized candidates.
#ifndef NS_N_SHADOWS_PREPARE_N_SHADOWS_MODEL_H_
#define NS_N_SHADOWS_PREPARE_N_SHADOWS_MODEL_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/model_graph.h"
#include "ns/n_shadows/qconfig_multi_mapping.h"
#include "passes/instrument/logger_info.h"
#include "passes/ops/op_relations.h"

namespace ns {

struct NShadowsOptions {
  OpRelations relations;
  // Makes the logger of a candidate: an object with the methods
  //   forward(Tensor candidate, Tensor float) -> Tensor
  //   is_enabled() -> bool
  //   set_enabled(bool)
  // It is disabled before it is put in; the candidate does not run while it is.
  // Its `get_stats` is CandidateResult::values, and its `get_comparisons() ->
  // float[]`, if it has one, CandidateResult::call_sqnr_db. Null makes
  // torch.classes.ns.OutputComparisonLogger.
  LoggerFactory logger = nullptr;
};

// A candidate that could not be tried.
struct SkippedCandidate {
  // FloatSubgraph::name.
  std::string subgraph;
  // QConfigName.
  std::string candidate;
  std::string reason;
};

struct NShadowsModel {
  ModelGraph model;
  // In order of execution.
  std::vector<SkippedCandidate> skipped;
};

// Copies `model` and adds to the copy, for each of its subgraphs
// (FindFloatSubgraphs) and each qconfig that `mapping` has for it, a candidate:
// the subgraph with its weight quantized and dequantized, its inputs and its
// output passing through quantizers, and a logger that compares it with the
// subgraph itself (reference: prepare_n_shadows_model).
//
//   %y = aten::linear(%x, %weight, %bias)
// becomes
//   ... = %quantizer_x.observe(%x)
//   %on = %logger.is_enabled()
//   %candidate = prim::If(%on)
//     block0():
//       %xq = %quantizer_x.forward(%x)
//       %yq = aten::linear(%xq, %quantized_weight, %bias)
//       %q = %quantizer_y.forward(%yq)
//       -> (%q)
//     block1():
//       -> (%empty)
//   %y = aten::linear(%x, %weight, %bias)
//   ... = %quantizer_y.observe(%y)
//   ... = %logger.forward(%candidate, %y)
//
// The copy returns what `model` does, bit for bit. It is to be run on
// calibration batches, converted (ConvertNShadowsModel), given enabled loggers
// (passes/instrument/logger_switches.h: LoggersSetEnabled) and run again.
// Loggers start disabled, and keep statistics only unless told to save
// activations.
//
// Static candidates quantize inputs and output with what calibration saw of the
// float model; ops that keep the parameters of their input (KeepsQParams) have
// the output in those. Dynamic candidates quantize inputs with the range that
// each has at run time. Of a recurrent layer the hidden state is not quantized.
// Subgraphs without any candidate get no logger.
//
// Errors: what the factory of loggers returns, and a logger without one of the
// methods above; a regular expression that is none, and a candidate that the
// mapping sets for an op or a module by name and that no kernel supports
// (CheckKernel), and an observer that finds no parameters or is made of an
// object of the user's (MakeActivationQuantizer, QuantizeWeights). Where a
// wider setting chose a candidate without a kernel, it is skipped, as is one
// that cannot be copied.
absl::StatusOr<NShadowsModel> PrepareNShadowsModel(
    const ModelGraph& model, const QConfigMultiMapping& mapping,
    const NShadowsOptions& options = {});

// Turns the quantizers of `module`, an n-shadows model, from observing to
// quantizing (reference: convert_n_shadows_model). Errors: a module that is
// none, one that was never run although it has static candidates, and values
// that an observer has no parameters for.
absl::Status ConvertNShadowsModel(torch::jit::Module& module);

}  // namespace ns

#endif  // NS_N_SHADOWS_PREPARE_N_SHADOWS_MODEL_H_
