// Holds what a comparison of two models found, as plain data, from which the
// table, JSON and CSV are written.
#ifndef NS_RESULT_COMPARISON_RESULT_H_
#define NS_RESULT_COMPARISON_RESULT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/graph/layer_id.h"
#include "ir/graph/source_line.h"
#include "ns/result/accuracy.h"
#include "ns/result/coverage.h"
#include "ns/result/data_flow_graph.h"
#include "ns/result/limit_check.h"
#include "ns/result/tried_change.h"
#include "ns/result/value_histograms.h"

namespace ns {

// How far a quantized tensor y is from its float original x. Ratios are over
// all elements of all batches, from sums in float64. Equal tensors, also those
// that are all zero, have +inf dB, a cosine of 1, and 0 for the rest. Figures
// are nan where a tensor holds nan. Where only y holds infinities, there are
// -inf dB, and normalized_l2 and max_abs_error are inf. PairStatistics has all
// rules, also for infinities of x and for no elements.
struct ErrorFigures {
  // 20 log10(|x| / |x - y|), in dB; -inf where only x is zero.
  double sqnr_db = 0;
  // |x - y| / |x|.
  double normalized_l2 = 0;
  // x . y / (|x| |y|).
  double cosine = 0;
  // max |x - y|.
  double max_abs_error = 0;
  // The mean of y - x: by how much the quantized values are shifted.
  double mean_error = 0;
  // The share of the mean squared error that the shift causes, which is
  // mean_error^2 / mean((x - y)^2), 0 to 1.
  double bias_share = 0;
};

struct WeightComparison {
  // "weight", or "weight_ih_l0", "weight_hh_l0", ... of recurrent layers.
  std::string name;
  std::vector<int64_t> shape;
  ErrorFigures error;
  // Absent unless asked for.
  std::optional<ValueHistograms> histograms = {};
};

// The lowest and the highest value of each side; nan for a side that holds nan.
struct ValueRanges {
  double float_min = 0;
  double float_max = 0;
  double quantized_min = 0;
  double quantized_max = 0;
};

// How many values are no finite numbers.
struct NonFiniteCounts {
  int64_t float_nan = 0;
  int64_t float_inf = 0;
  int64_t quantized_nan = 0;
  int64_t quantized_inf = 0;
};

// How a tensor of 8 bits uses the 256 quantized values that there are.
struct CodeUse {
  // How many elements have the lowest and the highest one: what lies beyond the
  // range was clipped to them.
  int64_t at_lowest = 0;
  int64_t at_highest = 0;
  // How many of the 256 never occur.
  int64_t unused = 0;
};

// Whether some values have errors that are much larger than those of the rest.
struct OutlierFigures {
  // 99.9 % of the errors |x - y| are no larger than this, which is exact to 3 %
  // of itself.
  double abs_error_p999 = 0;
  // The share, 0 to 1, that the largest 0.1 % of the errors have in the sum of
  // squared errors, exact to 1/8: near 0.001 where all errors are alike.
  double share = 0;
};

// The error of one output channel.
struct ChannelError {
  int64_t channel = 0;
  double sqnr_db = 0;
};

// How the channels of a tensor fare one by one. The SQNR of the tensor is that
// of its large channels: small ones can be lost in an error that it hardly
// shows.
struct ChannelSummary {
  // How many there are, without those that have no SQNR: with NaN in them.
  int64_t channels = 0;
  // The median of their SQNR in dB, the lower one of two.
  double median_sqnr_db = 0;
  // How many have less than 3 dB: more than half as much error as signal.
  int64_t below_3db = 0;
};

// A figure of a user's metric: its mean over batches.
struct UserFigure {
  std::string metric;
  double value = 0;
};

// The figures of the tensors that two models have at one place.
struct ActivationComparison {
  // The shape of the tensor in the first batch.
  std::vector<int64_t> shape;
  ErrorFigures error;
  // The metrics of ComparisonResult::user_metrics, in that order; empty where
  // there are none.
  std::vector<UserFigure> user_figures;
  // The number of elements compared in all batches. Absent, as all below but
  // channels, batch_sqnr_db and trip_sqnr_db, in stubs and outputs of modules.
  // `ranges` are absent for no elements, too.
  std::optional<int64_t> elements;
  std::optional<ValueRanges> ranges;
  std::optional<NonFiniteCounts> non_finite;
  // Absent where the quantized side has no 8 bits.
  std::optional<CodeUse> codes;
  // Absent for tensors without a dimension of channels.
  std::optional<ChannelSummary> channels;
  // The worst output channels, worst first; empty unless asked for.
  std::vector<ChannelError> worst_channels;
  // The SQNR in dB of all output channels, in their order; empty unless asked
  // for.
  std::vector<double> channel_sqnr_db;
  // Absent unless asked for.
  std::optional<OutlierFigures> outliers;
  // Of a sample of the elements. Absent unless asked for.
  std::optional<ValueHistograms> histograms;
  // The SQNR in dB of each batch in which both models ran the layer.
  std::vector<double> batch_sqnr_db;
  // The SQNR in dB of the first, second, ... trip of the loop around the op,
  // over all batches; empty for ops that are in no loop.
  std::vector<double> trip_sqnr_db;
};

// One model's side of a matched pair.
struct LayerSide {
  // Module path; see tools/README.md: for function-style ops, the path of the
  // module whose code calls them.
  std::string fqn;
  // The name was inferred from the other model: this one has no names.
  bool fqn_inferred = false;
  // The base op, "aten::conv2d" (OpOf in passes/analysis/subgraph.h). Empty for
  // the float side of a quantize point on a graph input.
  std::string op;
  // Ops of the subgraph in order, the base op among them.
  std::vector<std::string> subgraph;
  // Where the base op is in the user's code; absent where that is not recorded.
  std::optional<SourceLine> source = {};
};

// What becomes of a layer on a processor where sums of two products saturate
// in 16 bits (passes/kernels/saturation_mode.h).
struct PairSaturation {
  // The kernels that were emulated: "fbgemm-avx2".
  std::string numerics;
  // The number of output channels, and of those whose weights let a sum
  // saturate. Saturation is possible where there is one such channel.
  int64_t channels = 0;
  int64_t saturating_channels = 0;
  // The sum of two products that is the farthest from 0 for any input.
  int64_t worst_pair_sum = 0;
  // How many outputs the layer computed in all batches, and how many of them
  // saturation changed: on the same input, their sum of products would be
  // another one without it. Absent where nothing ran.
  std::optional<int64_t> outputs;
  std::optional<int64_t> saturated;
  // The SQNR in dB that the activation would have if no layer saturated, and
  // how much of it is lost. Absent unless activations were asked for.
  std::optional<double> sqnr_db;
  std::optional<double> cost_db;
  // The SQNR in dB that the shadow would have if this layer did not saturate,
  // on the same inputs, and how much of it is lost. Absent without a shadow.
  std::optional<double> shadow_sqnr_db;
  std::optional<double> shadow_cost_db;

  bool IsPossible() const { return saturating_channels > 0; }
  // The share of the outputs that saturation changed, 0 to 1; absent where
  // there were no outputs.
  std::optional<double> Share() const {
    return outputs.value_or(0) > 0
               ? std::optional(static_cast<double>(*saturated) /
                               static_cast<double>(*outputs))
               : std::nullopt;
  }
};

// A tensor that a layer gives besides its first: the states of an LSTM, or what
// else is in the tuple that a module returns.
struct OutputComparison {
  // Its position among the tensors that the quantized op gives, from 1: the
  // first is 0.
  int64_t index = 0;
  // "h_n", "c_n"; what the op's schema calls it; or else the index, "1".
  std::string name;
  // These are as the fields of LayerComparison with the same names.
  std::optional<ActivationComparison> activation;
  std::optional<ActivationComparison> shadow;
  std::optional<ErrorFigures> inherited;
};

// How far the bias of a quantized layer is from the float one, with batch norms
// folded in. No bias counts as zeros. Of recurrent layers, all biases are one.
struct BiasComparison {
  // The mean over channels of (x - y)^2.
  double mean_squared_error = 0;
  // The quantized layer has no bias, or zeros, where the float layer has one.
  bool is_missing = false;
};

// The shares of a layer's local error that the quantized weight alone has, and
// the rounding and clipping of the activations alone: ratios of powers, which
// need not add up to 1. Absent as weight_only and activation_only below are.
struct PartShares {
  std::optional<double> weight;
  std::optional<double> activation;
};

// A pair of matched subgraphs and what was compared there.
struct LayerComparison {
  // The name of the layer, which no other layer has.
  std::string name;
  // The id of the float base op, where it has one (ir/graph/layer_id.h). Absent
  // for points where values are quantized.
  std::optional<LayerId> id;
  // What the float model calls the layer when it is quantized
  // (FloatSubgraph::name); empty where nothing of it would be. Not in JSON.
  std::string float_layer;
  LayerSide float_side;
  LayerSide quantized_side;
  // The family of the float base op (passes/ops/op_families.h), "conv2d" also
  // of an aten::_convolution that is one. Empty where float_side has no op.
  std::string family;
  // What the first output is called, of an op with several. The figures below
  // are those of the first output. Empty for ops with one output.
  std::string output;
  std::vector<WeightComparison> weights;
  // Absent for layers without a bias in either model.
  std::optional<BiasComparison> bias;
  // The name of another layer, where the quantized layer has the float weight
  // of that one instead of its own; else empty.
  std::string has_weight_of;
  // The name of another layer of the same module, where the quantized weight is
  // the float one times factors for its output channels, which are right for
  // that layer and wrong for this one; else empty.
  std::string shares_weight_with;
  // The qparams of the first output; absent where it has none, or where only a
  // run tells them.
  std::optional<LayerQParams> qparams;
  // The output in the float model (x) against that in the quantized one (y),
  // each on its own values: the accumulated error. Absent where nothing was
  // compared.
  std::optional<ActivationComparison> activation;
  // What the float subgraph makes of the quantized model's inputs (x) against
  // the quantized output (y): the local error. Absent likewise.
  std::optional<ActivationComparison> shadow;
  // What the float subgraph makes of its own inputs (x), against what it makes
  // of the quantized model's (y): the part of the accumulated error that came
  // in with the inputs. Absent unless activations and shadows were both asked
  // for.
  std::optional<ErrorFigures> inherited;
  // What the float subgraph makes of the quantized model's inputs (x), against
  // what it makes of them when only one part is quantized (y): with the weight
  // of the quantized layer; and with the activation rounded and clipped as that
  // does it, the output of a static layer and the input of a dynamic one. The
  // first is absent for layers without a weight of their own, the second for
  // those that compute in float, and both unless they were asked for.
  std::optional<ErrorFigures> weight_only;
  std::optional<ErrorFigures> activation_only;
  // What the same parts have of the local error in one batch. Measured for the
  // layers that may be to blame, whether parts were asked for or not
  // (ns/suite/measure_shares.h).
  std::optional<PartShares> measured_shares;
  // What was tried in this layer alone; see ns/suite/try_changes.h.
  std::vector<TriedChange> tried_changes;
  // What a reference kernel (dequantize, compute in float, quantize) makes of
  // the quantized model's inputs (x), against what the kernel made of them (y):
  // the error of the kernel alone. Absent unless kernels were asked for.
  std::optional<ActivationComparison> kernel;
  // The other outputs that were compared. Those that hold integers or truth
  // values, such as indices, are left out.
  std::vector<OutputComparison> outputs;
  // Absent unless another processor was emulated and the layer sums products.
  std::optional<PairSaturation> saturation;
  // In what the quantized op computes. Absent for points where values are
  // quantized, and where it was not looked at.
  std::optional<RunsIn> runs_in;
  // Indices of the layers whose outputs flow into this one, in ascending order.
  std::vector<size_t> producers;
  // False when some of what flows in is not what is compared there, but another
  // output, an element of a list, what an unmatched op computes, or an
  // attribute that the model writes itself.
  bool producers_are_compared = true;
  // Why the inputs of the two sides do not correspond, as behind a layer that
  // only one model has; empty where they do. Such a layer is not to blame: its
  // figures tell how the models differ in front of it.
  std::string unpaired_input;
  // What flows in instead of what, where each model has an op there that the
  // other does not have; empty elsewhere. The two ops may compute the same:
  // only a fall of the accumulated SQNR shows that they do not.
  std::string replaced_input;
};

// An op that the other model has nothing for.
struct UnmatchedNode {
  // The model that has it: "float" or "quantized".
  std::string model;
  std::string fqn;
  std::string op;
  std::string reason;
};

// A layer that could not be shadowed, compared with a reference kernel or with
// values of a reference, or emulated.
struct NotShadowed {
  std::string name;
  std::string reason;
};

// A tensor that a module returns besides its first.
struct StubOutput {
  // These are as the fields of OutputComparison with the same names.
  int64_t index = 0;
  std::string name;
  ActivationComparison figures;
};

// A quantized module and the float module that ran beside it, on its inputs.
struct StubComparison {
  // The path of the module.
  std::string name;
  // The qualified types of the two modules.
  std::string float_type;
  std::string quantized_type;
  // The figures of what the modules return, or of the first tensor in it.
  ActivationComparison figures;
  // The other tensors in it, but those that hold integers or truth values.
  std::vector<StubOutput> outputs = {};
};

// The outputs of a module in both models, or of the models, where each model
// runs on its own values.
struct ModuleOutputComparison {
  // The path of the quantized module, "lstm (h_n)" for another tensor than the
  // first that it returns; "output", "output[1]", ... for a tensor of those
  // that the models return.
  std::string name;
  // The qualified types of the modules; empty for what the models return.
  std::string float_type;
  std::string quantized_type;
  ActivationComparison figures;
  // It holds integers or truth values, such as class ids: these have no error
  // of quantization, and no summary counts their figures.
  bool holds_integers = false;
};

// A file that a comparison read.
struct FileHash {
  std::string path;
  std::string sha256;  // In hexadecimal digits.
};

struct ComparisonResult {
  // The paths of the models, as the user gave them.
  std::string float_path;
  std::string quantized_path;
  // The paths of the batches, as the user gave them; empty without any.
  std::vector<std::string> input_paths;
  // Flags that ns quantize needs for these models, as words of a shell:
  // "--method=encode". Not in JSON.
  std::vector<std::string> quantize_flags;
  // "aligned" or "strict"; "keys" of state dicts.
  std::string matching;
  // The folder of the values that activations were compared with; empty where
  // the float model ran.
  std::string reference;
  // Batches run; 0 when only weights were compared.
  int64_t batches = 0;
  // False where inputs hold NaN or infinities, those of attention masks aside
  // (ns/suite/non_finite_inputs.h): a warning says where, and no layer is
  // blamed for what comes of them.
  bool inputs_are_finite = true;
  // In order of execution of the quantized model.
  std::vector<LayerComparison> layers;
  std::vector<UnmatchedNode> unmatched;
  std::vector<NotShadowed> not_shadowed;
  // Layers whose quantized op has no reference kernel; empty unless kernels
  // were asked for.
  std::vector<NotShadowed> no_reference;
  // Layers without values in the reference that fit, and values that no layer
  // has; empty without a reference.
  std::vector<NotShadowed> not_referenced;
  // Layers with sums of products that LibTorch computed although another
  // processor was emulated.
  std::vector<NotShadowed> not_emulated;
  // What is quantized, and what is not; absent where nothing was compared, and
  // for state dicts.
  std::optional<Coverage> coverage;
  // Modules and their float stubs, in order of execution; absent when they were
  // not asked for.
  std::optional<std::vector<StubComparison>> stubs;
  // The tensors that both models return, of floats; empty where the float model
  // did not run.
  std::vector<ModuleOutputComparison> model_outputs;
  // Outputs of modules, in order of execution, then those of the models; absent
  // when they were not asked for.
  std::optional<std::vector<ModuleOutputComparison>> outputs;
  // What the user is to know of the comparison, one line each.
  std::vector<std::string> warnings;
  // Whether activations (or shadows) were asked for, so that a table knows its
  // columns even when no layer has them.
  bool has_activations = false;
  bool has_shadows = false;
  bool has_kernels = false;
  // Names of the metrics that the user added, in the order of columns.
  std::vector<std::string> user_metrics;
  // The kernels that were emulated ("fbgemm-avx2"); empty where LibTorch's ran.
  std::string emulated;
  // Names of two layers that run in this order, while in the float model the
  // first takes what the second makes; absent where no two do.
  std::optional<std::pair<std::string, std::string>> swapped;
  // How values flow through both models; absent unless asked for.
  std::optional<DataFlowGraphs> graphs;
  // Where the models ran: the processor's name, and LibTorch's quantized
  // engine; and the models and inputs. Empty unless asked for.
  std::string processor;
  std::string engine;
  std::vector<FileHash> files;
  // Figures held against limits of the user, in the order of the limits and
  // then of the layers; absent when there are no limits.
  std::optional<std::vector<LimitCheck>> limits;
  // Absent unless there was a baseline.
  std::optional<BaselineLayers> baseline;
  // Absent unless there were labels.
  std::optional<Accuracy> accuracy;
};

}  // namespace ns

#endif  // NS_RESULT_COMPARISON_RESULT_H_
