// What a comparison of two models found, as plain data: what the table, JSON
// and CSV are written from.
#ifndef NS_SUITE_COMPARISON_RESULT_H_
#define NS_SUITE_COMPARISON_RESULT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns {

// How far a quantized tensor y is from its float original x. Ratios are over
// all elements of all batches, from sums in float64. Equal tensors, also those
// that are all zero, have +inf dB, 0, 1 and 0. nan is what figures of nan, of
// infinities and of no values at all are. Every output shows these numbers: the
// rules are in one place, PairStatistics.
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
  // The share of the mean squared error that the square of this is, 0 to 1.
  double bias_share = 0;
};

struct WeightComparison {
  // "weight", or "weight_ih_l0", "weight_hh_l0", ... of recurrent layers.
  std::string name;
  std::vector<int64_t> shape;
  ErrorFigures error;
};

// Lowest and highest value of each side; inf and -inf for no elements.
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

// How a tensor of 8 bits uses its codes.
struct CodeUse {
  // Values at the lowest and the highest code there is: what lies beyond the
  // range was clamped to them (saturation).
  int64_t at_lowest = 0;
  int64_t at_highest = 0;
  // Of the 256 codes, those that never occur.
  int64_t unused = 0;
};

// Whether some values have errors that are much larger than those of the rest.
struct OutlierFigures {
  // 99.9 % of the errors |x - y| are no larger: to 3 %.
  double abs_error_p999 = 0;
  // The share of the squared error that the largest 0.1 % of the errors have, 0
  // to 1: near 0.001 where all are alike.
  double share = 0;
};

// The error of one output channel.
struct ChannelError {
  int64_t channel = 0;
  double sqnr_db = 0;
};

// A figure of a user's metric: its mean over batches.
struct UserFigure {
  std::string metric;
  double value = 0;
};

struct ActivationComparison {
  // Of the first batch.
  std::vector<int64_t> shape;
  ErrorFigures error;
  // In the order of ComparisonResult::user_metrics; empty without such.
  std::vector<UserFigure> user_figures;
  // Over all batches. Absent in stubs.
  std::optional<int64_t> elements;
  std::optional<ValueRanges> ranges;
  std::optional<NonFiniteCounts> non_finite;
  // Where the quantized side has 8 bits.
  std::optional<CodeUse> codes;
  // The worst output channels, worst first; empty unless asked for.
  std::vector<ChannelError> worst_channels;
  // The SQNR in dB of all output channels, in their order; likewise.
  std::vector<double> channel_sqnr_db;
  // Absent unless asked for.
  std::optional<OutlierFigures> outliers;
  // One entry for each batch in which both models came by.
  std::vector<double> batch_sqnr_db;
  // For ops inside a loop: SQNR of the first, second, ... trip over all
  // batches. Empty elsewhere.
  std::vector<double> trip_sqnr_db;
};

// One model's side of a matched pair.
struct LayerSide {
  // Module path; see tools/README.md: for function-style ops, the path of the
  // module whose code calls them.
  std::string fqn;
  // The name was inferred from the other model: this one has no names.
  bool fqn_inferred = false;
  // The base op, "aten::conv2d". Empty for the float side of a quantize point
  // on a graph input.
  std::string op;
  // Ops of the subgraph in order, the base op among them.
  std::vector<std::string> subgraph;
};

// What becomes of a layer on a processor where sums of two products saturate
// in 16 bits (passes/kernels/saturation_mode.h).
struct PairSaturation {
  // Whose answers were emulated: "fbgemm-avx2".
  std::string numerics;
  // Output channels, and those whose weights let a sum saturate. Saturation is
  // possible where that is one and more.
  int64_t channels = 0;
  int64_t saturating_channels = 0;
  // The sum of two products that is the farthest from 0 for any input.
  int64_t worst_pair_sum = 0;
  // Over all batches: outputs of the layer, and those that have another sum of
  // products than without saturation, on the same input. Absent where nothing
  // ran.
  std::optional<int64_t> outputs;
  std::optional<int64_t> saturated;
  // SQNR of the activation where no layer saturates, and what is lost of it, in
  // dB. Where activations were asked for.
  std::optional<double> sqnr_db;
  std::optional<double> cost_db;
  // SQNR of the shadow if this layer did not saturate, on the same inputs, and
  // what is lost of it. Where the layer has a shadow.
  std::optional<double> shadow_sqnr_db;
  std::optional<double> shadow_cost_db;

  bool IsPossible() const { return saturating_channels > 0; }
  // Of the outputs, 0 to 1; absent where there were none.
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
  // As of the layer.
  std::optional<ActivationComparison> activation;
  std::optional<ActivationComparison> shadow;
  std::optional<ErrorFigures> inherited;
};

struct LayerComparison {
  // Unique among the layers.
  std::string name;
  LayerSide float_side;
  LayerSide quantized_side;
  // What the first output is called, of ops with several: the figures below are
  // of that one. Empty for others.
  std::string output;
  std::vector<WeightComparison> weights;
  std::optional<ActivationComparison> activation;
  std::optional<ActivationComparison> shadow;
  // What the float subgraph makes of its own inputs (x), against what it makes
  // of the quantized model's (y): the part of the accumulated error that came
  // in with the inputs. Where activations and shadows were both asked for.
  std::optional<ErrorFigures> inherited;
  // What a reference kernel (dequantize, compute in float, quantize) makes of
  // the quantized model's inputs (x), against what the kernel made of them (y):
  // the error of the kernel alone.
  std::optional<ActivationComparison> kernel;
  // The other outputs that were compared. Those that hold integers or truth
  // values, such as indices, are left out.
  std::vector<OutputComparison> outputs;
  // Where other numerics were emulated, of layers with sums of products.
  std::optional<PairSaturation> saturation;
  // Indices of the layers whose outputs flow into this one, in ascending order.
  std::vector<size_t> producers;
  // False when some of what flows in is not what is compared there, but another
  // output, or an element of a list.
  bool producers_are_compared = true;
  // Why the inputs of the two sides do not correspond, as behind a layer that
  // only one model has; empty for most. Such a layer is no culprit: its figures
  // tell how the models differ in front of it.
  std::string unpaired_input;
};

struct UnmatchedNode {
  // "float" or "quantized".
  std::string model;
  std::string fqn;
  std::string op;
  std::string reason;
};

struct NotShadowed {
  std::string name;
  std::string reason;
};

// A tensor that a module returns besides its first.
struct StubOutput {
  // As in OutputComparison.
  int64_t index = 0;
  std::string name;
  ActivationComparison figures;
};

// A quantized module and the float module that ran beside it, on its inputs.
struct StubComparison {
  // The module's path.
  std::string name;
  // Qualified types of the modules.
  std::string float_type;
  std::string quantized_type;
  // Of the modules' output, or the first tensor in it.
  ActivationComparison figures;
  // The other tensors in it but integers and truth values.
  std::vector<StubOutput> outputs = {};
};

// What both models made on their own values: a module, or what they return.
struct ModuleOutputComparison {
  // The path of the quantized module, "lstm (h_n)" for another tensor than the
  // first that it returns; "output", "output[1]", ... for a tensor of those
  // that the models return.
  std::string name;
  // Qualified types of the modules; empty for what the models return.
  std::string float_type;
  std::string quantized_type;
  ActivationComparison figures;
};

struct ComparisonResult {
  // As the user gave them.
  std::string float_path;
  std::string quantized_path;
  // "aligned" or "strict".
  std::string matching;
  // Batches run; 0 when only weights were compared.
  int64_t batches = 0;
  // False where inputs hold NaN or infinities: a warning says where, and nobody
  // is to blame for what comes of them.
  bool inputs_are_finite = true;
  // In order of execution of the quantized model.
  std::vector<LayerComparison> layers;
  std::vector<UnmatchedNode> unmatched;
  std::vector<NotShadowed> not_shadowed;
  // Layers whose quantized op has no reference kernel; where kernels were asked
  // for.
  std::vector<NotShadowed> no_reference;
  // Layers with sums of products that are as LibTorch computes them, where
  // other numerics were emulated.
  std::vector<NotShadowed> not_emulated;
  // Whole modules, in order of execution; absent when they were not asked for.
  std::optional<std::vector<StubComparison>> stubs;
  // Outputs of modules, in order of execution, then those of the models; absent
  // when they were not asked for.
  std::optional<std::vector<ModuleOutputComparison>> outputs;
  // For the user's eyes: one line each.
  std::vector<std::string> warnings;
  // Whether activations (or shadows) were asked for, so that a table knows its
  // columns even when no layer has them.
  bool has_activations = false;
  bool has_shadows = false;
  bool has_kernels = false;
  // Names of the metrics that the user added, in the order of columns.
  std::vector<std::string> user_metrics;
  // Whose answers the quantized model gave ("fbgemm-avx2"); empty for
  // LibTorch's.
  std::string emulated;
};

}  // namespace ns

#endif  // NS_SUITE_COMPARISON_RESULT_H_
