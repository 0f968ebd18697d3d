#include "passes/quantization/rescale/channel_samples.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "ir/base/status.h"
#include "passes/quantization/layers/float_subgraphs.h"
#include "passes/quantization/rescale/scaled_layer.h"
#include "passes/rewrite/tap_value.h"

namespace ns {
namespace {

using ::torch::jit::Node;

bool IsAskedFor(const std::function<bool(const std::string&)>& takes,
                const std::string& layer) {
  return !takes || takes(layer);
}

// The rows of `value` without those that have nan or infinities.
at::Tensor FiniteRows(const at::Tensor& value, int64_t dim) {
  const at::Tensor channels_last = value.detach().movedim(-dim, -1);
  const at::Tensor rows =
      channels_last.reshape({-1, channels_last.size(-1)}).to(at::kFloat);
  const at::Tensor is_finite = rows.isfinite().all(1);
  return is_finite.all().item<bool>()
             ? rows
             : rows.index_select(0, is_finite.nonzero().flatten());
}

// The largest absolute value of each channel; nan or infinite where one is.
at::Tensor LargestOf(const at::Tensor& value, int64_t dim) {
  std::vector<int64_t> others;
  for (int64_t i = 1; i <= value.dim(); ++i) {
    if (i != dim) {
      others.push_back(-i);
    }
  }
  const at::Tensor floats = value.detach().to(at::kFloat);
  return others.empty()
             ? floats.abs()
             : at::maximum(floats.amax(others), floats.amin(others).neg());
}

// A value that is sampled.
struct Point {
  std::string layer;
  bool is_input = false;
  // The dimension of its channels, from the end: the last one is 1.
  int64_t dim = 1;
  // A random number for each of the rows that are kept; the largest ones are.
  at::Tensor keys;
};

}  // namespace

struct ChannelSampler::State {
  explicit State(const ChannelSamplerOptions& options)
      : most_rows(options.most_rows),
        random(at::detail::createCPUGenerator(options.seed)) {}

  void Take(const at::Tensor& value, Point& point) {
    if (value.dim() < point.dim || value.numel() == 0) {
      return;
    }
    at::Tensor largest = LargestOf(value, point.dim);
    at::Tensor rows;
    if (point.is_input || !largest.isfinite().all().item<bool>()) {
      rows = FiniteRows(value, point.dim);
      if (rows.size(0) == 0) {
        return;
      }
      largest = rows.abs().amax(0);
    }
    ChannelSample& sample =
        (point.is_input ? samples.inputs : samples.outputs)[point.layer];
    TORCH_CHECK(
        !sample.largest.defined() || sample.largest.sizes() == largest.sizes(),
        point.layer, " has changed its number of channels");
    sample.largest = sample.largest.defined()
                         ? at::maximum(sample.largest, largest)
                         : largest;
    if (point.is_input) {
      KeepRows(rows, point, sample);
    }
  }

  void KeepRows(const at::Tensor& rows, Point& point, ChannelSample& sample) {
    at::Tensor keys = at::rand({rows.size(0)}, random);
    at::Tensor all = rows;
    if (point.keys.defined()) {
      keys = at::cat({point.keys, keys});
      all = at::cat({sample.rows, rows});
    }
    at::Tensor chosen;
    std::tie(point.keys, chosen) = keys.topk(std::min(most_rows, keys.size(0)));
    sample.rows = all.index_select(0, chosen);
  }

  const int64_t most_rows;
  at::Generator random;
  ChannelSamples samples;
};

absl::StatusOr<ChannelSampler> ChannelSampler::Create(
    const ModelGraph& model, const ChannelSamplerOptions& options) {
  NS_ASSIGN_OR_RETURN(ModelGraph copy, model.Clone());
  const auto state = std::make_shared<State>(options);
  const auto taker = [&](const std::string& layer, bool is_input, int64_t dim) {
    return [state, point = std::make_shared<Point>(
                       Point{layer, is_input, dim, {}})](const at::Tensor& x) {
      state->Take(x, *point);
      return x;
    };
  };
  for (const FloatSubgraph& subgraph : FindFloatSubgraphs(copy.graph())) {
    Node& base = *subgraph.subgraph.base;
    if (!IsScalableLayer(base)) {
      continue;
    }
    const absl::StatusOr<ScaledLayer> layer = ScaledLayer::Make(base);
    if (!layer.ok()) {
      continue;  // No pass scales it.
    }
    const int64_t space = layer->space();
    if (space == 0 && IsAskedFor(options.takes_input, subgraph.name)) {
      NS_RETURN_IF_ERROR(
          TapInput(copy, base, 0, taker(subgraph.name, true, 1)));
    }
    if (IsAskedFor(options.takes_output, subgraph.name)) {
      NS_RETURN_IF_ERROR(TapValue(copy, *subgraph.output,
                                  taker(subgraph.name, false, space + 1)));
    }
  }
  if (options.prepare_copy) {
    NS_RETURN_IF_ERROR(options.prepare_copy(copy));
  }
  return ChannelSampler(std::move(copy), state);
}

absl::Status ChannelSampler::Run(const std::vector<c10::IValue>& arguments,
                                 const torch::jit::Kwargs& keywords) {
  return copy_.Run(arguments, keywords).status();
}

const ChannelSamples& ChannelSampler::samples() const {
  return state_->samples;
}

}  // namespace ns
