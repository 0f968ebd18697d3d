// Holds the figures of a tensor in two models, as plain data.
#ifndef NS_RESULT_VALUE_FIGURES_H_
#define NS_RESULT_VALUE_FIGURES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

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

inline constexpr int64_t kStripCells = 16;

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
  // How many of these are dead: the quantized channel has one value in all
  // batches, and the float one has several.
  int64_t dead = 0;
  // The lowest SQNR in dB of each of at most kStripCells groups of neighbouring
  // channels, in their order, to 0.1 dB; nan for a group that has none.
  std::vector<double> strip_db = {};
};

// Two axes that the quantized tensor has in the other order, first < second,
// and the SQNR in dB that it has with them changed back.
struct AxisExchange {
  int64_t first = 0;
  int64_t second = 0;
  double sqnr_db = 0;
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

}  // namespace ns

#endif  // NS_RESULT_VALUE_FIGURES_H_
