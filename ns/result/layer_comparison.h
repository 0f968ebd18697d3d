// Holds what a comparison found of one layer, as plain data.
#ifndef NS_RESULT_LAYER_COMPARISON_H_
#define NS_RESULT_LAYER_COMPARISON_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/graph/source_line.h"
#include "ns/result/coverage.h"
#include "ns/result/time_figures.h"
#include "ns/result/tried_change.h"
#include "ns/result/value_figures.h"

namespace ns {

// One model's side of a matched pair.
struct LayerSide {
  // Module path; see tools/docs/figures.md: for function-style ops, the path of
  // the module whose code calls them.
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
  std::optional<ActivationComparison> second_data = {};
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

// Hashes of the bits of a layer's first output in all batches, as 16
// hexadecimal digits. Two runs in which a model computes the same bits have the
// same hash.
struct LayerFingerprints {
  std::string of_float;
  std::string of_quantized;
};

// A pair of matched subgraphs and what was compared there.
struct LayerComparison {
  // The name of the layer, which no other layer has.
  std::string name;
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
  // The axes of the first output that the quantized model has in the other
  // order, so that its shape or its values are others; absent where it has not,
  // and where activations were not asked for.
  std::optional<AxisExchange> exchanged_axes;
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
  // The share of the error of the model's outputs that this layer's local error
  // makes (ns/suite/output_shares.h), 0.2 for a fifth. Absent unless
  // activations and shadows were both asked for, and where it is not known.
  std::optional<double> output_share;
  // The activation on a second data set (ComparisonResult::second_data). Absent
  // without one, and where the layer did not run on it.
  std::optional<ActivationComparison> second_data;
  // What was tried in this layer alone; see ns/suite/try_changes.h.
  std::vector<TriedChange> tried_changes;
  // What the model gains with this layer in float; see
  // ns/suite/measure_float_gains.h. Absent where it was not measured.
  std::optional<FloatGain> in_float;
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
  // Absent unless asked for, and where nothing came.
  std::optional<LayerFingerprints> fingerprints;
  // How long the layer takes. Absent unless times were asked for.
  std::optional<LayerTime> time;
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

}  // namespace ns

#endif  // NS_RESULT_LAYER_COMPARISON_H_
