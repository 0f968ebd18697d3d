// Runs N quantized candidates beside each subgraph of a float model, to compare
// them with it.
#ifndef NS_N_SHADOWS_PREPARE_N_SHADOWS_MODEL_H_
#define NS_N_SHADOWS_PREPARE_N_SHADOWS_MODEL_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/model/model_graph.h"
#include "ns/n_shadows/qconfig_multi_mapping.h"
#include "passes/instrument/logger_info.h"
#include "passes/ops/op_relations.h"
#include "passes/quantization/layers/float_subgraphs.h"
#include "passes/quantization/qconfig/qconfig.h"

namespace ns {

struct NShadowsOptions {
  OpRelations relations;
  // Makes the logger of a candidate: an object with the methods
  //   forward(Tensor candidate, Tensor float) -> Tensor
  //   is_enabled() -> bool
  //   set_enabled(bool)
  // It is disabled before it is put into the model. A candidate runs only while
  // its logger is enabled. ExtractResultsNShadowsModel (n_shadows_results.h)
  // calls its `get_stats` for CandidateResult::values and, if it has that
  // method, `get_comparisons() -> float[]` for CandidateResult::call_sqnr_db.
  // If this is null, the loggers are torch.classes.ns.OutputComparisonLogger.
  LoggerFactory logger = nullptr;
  // Unless it is null, asked for each candidate that a kernel supports. The
  // candidate is skipped with the message of what is not OK.
  std::function<absl::Status(const FloatSubgraph&, const QConfig&)> check =
      nullptr;
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
// The copy returns what `model` returns, bit for bit. Use it like this:
//
// - Run it on calibration batches.
// - Convert it: ConvertNShadowsModel.
// - Enable its loggers, which start disabled: LoggersSetEnabled
//   (passes/instrument/logger_switches.h).
// - Run it again. The loggers keep statistics only, unless they are told to
//   save activations.
//
// Static candidates quantize their inputs and output with the ranges that
// calibration saw in the float model. The output of an op that keeps the scale
// and zero point of its input (KeepsQParams) has those. Dynamic candidates
// quantize each input with the range that it has at run time. The hidden state
// of a recurrent layer is not quantized. A subgraph without any candidate gets
// no logger.
//
// Errors:
// - an error of the logger factory; a logger without one of the methods above;
// - a model that is an n-shadows model already;
// - a mapping with an invalid regular expression;
// - a candidate that no kernel supports (CheckKernel), if the mapping sets it
//   for that op or module by name;
// - an observer that finds no scale and zero point, or is an object of the user
//   (MakeActivationQuantizer, QuantizeWeights).
//
// A candidate that no kernel supports, but that a wider setting chose, is
// skipped. So is one that cannot be copied. See NShadowsModel::skipped.
absl::StatusOr<NShadowsModel> PrepareNShadowsModel(
    const ModelGraph& model, const QConfigMultiMapping& mapping,
    const NShadowsOptions& options = {});

// Turns the quantizers of `module`, an n-shadows model, from observing to
// quantizing (reference: convert_n_shadows_model). Errors: a module that is not
// an n-shadows model; one that has static candidates, but was never run; an
// observer that finds no scale and zero point for the values it saw. After the
// last of these, some quantizers are converted already.
absl::Status ConvertNShadowsModel(torch::jit::Module& module);

}  // namespace ns

#endif  // NS_N_SHADOWS_PREPARE_N_SHADOWS_MODEL_H_
