#include "ns/report/table/coverage_report.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "ns/findings/table_figures.h"
#include "ns/report/table/reason_list.h"
#include "ns/result/coverage.h"
#include "ns/result/printable.h"

namespace ns {
namespace {

double ProductOf(const std::vector<int64_t>& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), 1.0,
                         std::multiplies<double>());
}

// The index of the channels in a tensor of `rank` dimensions, batched or not,
// of a layer whose weight has `weight_rank`: they are in front of the
// dimensions that a window has. Absent where there are not enough.
std::optional<size_t> ChannelIndex(size_t rank, size_t weight_rank) {
  return weight_rank < 2 || rank + 1 < weight_rank
             ? std::nullopt
             : std::optional(rank + 1 - weight_rank);
}

// The shape of what flows into `layer`; null where it is not known.
const std::vector<int64_t>* InputShape(const ComparisonResult& result,
                                       const LayerComparison& layer) {
  if (layer.producers.size() != 1 || !layer.producers_are_compared) {
    return nullptr;
  }
  const std::optional<ActivationComparison>& input =
      result.layers[layer.producers.front()].activation;
  return input.has_value() ? &input->shape : nullptr;
}

// Each element of the input is multiplied by the weights of its channel, which
// is the first dimension of the weight.
double MacsOfTransposedConv(const ComparisonResult& result,
                            const LayerComparison& layer) {
  const std::vector<int64_t>* const input = InputShape(result, layer);
  if (input == nullptr || layer.weights.empty() ||
      input->size() != layer.activation->shape.size()) {
    return 0;
  }
  const std::vector<int64_t>& weight = layer.weights.front().shape;
  const std::optional<size_t> channels =
      ChannelIndex(input->size(), weight.size());
  // Other channels mean that the producer's output was reshaped or cut.
  return !channels || weight[0] == 0 || (*input)[*channels] != weight[0]
             ? 0
             : ProductOf(*input) * ProductOf(weight) /
                   static_cast<double>(weight[0]);
}

// The multiply-adds of one run of a layer, on the first batch; 0 for layers
// that do not count.
double MacsOfRun(const ComparisonResult& result, const LayerComparison& layer) {
  // A norm multiplies, too, but sums no products.
  if (!layer.activation.has_value() ||
      absl::StrContains(layer.family, "embedding") ||
      absl::StrContains(layer.family, "norm")) {
    return 0;
  }
  if (absl::StartsWith(layer.family, "conv_transpose")) {
    return MacsOfTransposedConv(result, layer);
  }
  const std::vector<int64_t>& shape = layer.activation->shape;
  double weights = 0;
  size_t dimensions = 0;
  for (const WeightComparison& weight : layer.weights) {
    if (weight.shape.size() > 1) {
      weights += ProductOf(weight.shape);
      dimensions = weight.shape.size();
    }
  }
  const std::optional<size_t> index = ChannelIndex(shape.size(), dimensions);
  const int64_t channels = index ? shape[*index] : 0;
  return channels == 0
             ? 0
             : ProductOf(shape) / static_cast<double>(channels) * weights;
}

// The multiply-adds of all batches: in a loop, a layer runs several times.
double MacsOf(const ComparisonResult& result, const LayerComparison& layer) {
  const double of_run = MacsOfRun(result, layer);
  if (of_run == 0 || !layer.activation->elements.has_value()) {
    return of_run;
  }
  return of_run * static_cast<double>(*layer.activation->elements) /
         ProductOf(layer.activation->shape);
}

bool HasInt8Weights(RunsIn runs_in) {
  return runs_in == RunsIn::kInt8 || runs_in == RunsIn::kInt8Weights;
}

}  // namespace

std::optional<double> Int8MacsShare(const ComparisonResult& result) {
  double all = 0;
  double int8 = 0;
  for (const LayerComparison& layer : result.layers) {
    if (layer.runs_in.has_value()) {
      const double macs = MacsOf(result, layer);
      all += macs;
      int8 += HasInt8Weights(*layer.runs_in) ? macs : 0;
    }
  }
  return all > 0 ? std::optional(int8 / all) : std::nullopt;
}

std::optional<CoverageSummary> CoverageSummaryOf(
    const ComparisonResult& result) {
  if (!result.coverage.has_value()) {
    return std::nullopt;
  }
  CoverageSummary summary;
  for (const LayerComparison& layer : result.layers) {
    if (layer.runs_in.has_value()) {
      ++(HasInt8Weights(*layer.runs_in) ? summary.int8_layers
                                        : summary.float_layers);
    }
  }
  summary.int8_macs_share = Int8MacsShare(result);
  summary.coverage = *result.coverage;
  return summary;
}

std::string CoverageText(const ComparisonResult& result) {
  const std::optional<CoverageSummary> summary = CoverageSummaryOf(result);
  if (!summary.has_value()) {
    return "";
  }
  std::string text = absl::StrCat("\n", summary->int8_layers, " of ",
                                  summary->int8_layers + summary->float_layers,
                                  " layers run in int8");
  if (summary->int8_macs_share.has_value()) {
    absl::StrAppendFormat(&text, ", with %.1f %% of the multiply-adds",
                          100 * *summary->int8_macs_share);
  }
  absl::StrAppend(&text, "\n");
  std::vector<Reasoned> floats;
  for (const StayedFloat& layer : summary->coverage.stayed_float) {
    floats.push_back(
        {absl::StrCat(layer.name, " (", ShortOp(layer.op), ")"), layer.reason});
  }
  std::vector<Reasoned> pairs;
  for (const CancellingPair& pair : summary->coverage.cancelling_pairs) {
    pairs.push_back({absl::StrCat(pair.dequantize, ", ", pair.quantize),
                     "the same scale, zero point and dtype"});
  }
  std::vector<Reasoned> packs;
  for (const std::string& name : summary->coverage.packs_at_run_time) {
    packs.push_back({name, "each run packs the weight anew; freeze the model"});
  }
  return absl::StrCat(text, ReasonList(floats, "in float"),
                      ReasonList(pairs, "dequantized and quantized again"),
                      ReasonList(packs, "packed at run time"));
}

}  // namespace ns
