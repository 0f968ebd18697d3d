#include "passes/quantization/channel_samples.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ir/attach_attribute.h"
#include "ir/insert_method_call.h"
#include "ir/node_view.h"
#include "ir/status.h"
#include "ir/torch_errors.h"
#include "passes/quantization/float_subgraphs.h"
#include "passes/quantization/observer_object.h"
#include "passes/quantization/qconfig.h"
#include "passes/quantization/scaled_layer.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;

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

}  // namespace

ChannelSampler::ChannelSampler(ModelGraph copy,
                               const ChannelSamplerOptions& options)
    : copy_(std::move(copy)),
      options_(options),
      random_(at::detail::createCPUGenerator(options.seed)) {}

absl::StatusOr<ChannelSampler> ChannelSampler::Create(
    const ModelGraph& model, const ChannelSamplerOptions& options) {
  NS_ASSIGN_OR_RETURN(ModelGraph copy, model.Clone());
  ChannelSampler sampler(std::move(copy), options);
  const std::vector<FloatSubgraph> subgraphs =
      FindFloatSubgraphs(sampler.copy_.graph());
  for (const FloatSubgraph& subgraph : subgraphs) {
    Node& base = *subgraph.subgraph.base;
    if (!IsScalableLayer(base)) {
      continue;
    }
    const absl::StatusOr<int64_t> space = SpaceOf(base);
    if (!space.ok()) {
      continue;  // No pass scales it.
    }
    if (*space == 0 && IsAskedFor(options.takes_input, subgraph.name)) {
      NS_RETURN_IF_ERROR(
          sampler.SampleAt(subgraph.name, true, 1, *base.input(0), &base));
    }
    if (IsAskedFor(options.takes_output, subgraph.name)) {
      NS_RETURN_IF_ERROR(sampler.SampleAt(subgraph.name, false, *space + 1,
                                          *subgraph.output,
                                          PlaceAfter(*subgraph.output)));
    }
  }
  return sampler;
}

absl::Status ChannelSampler::SampleAt(const std::string& layer, bool is_input,
                                      int64_t dim, Value& value, Node* place) {
  NS_ASSIGN_OR_RETURN(const c10::IValue recorder,
                      MakeObserverObject(SpecOf(ObserverKind::kRecording)));
  const std::string name =
      AttachAttribute(copy_.module(), "ns_sampler_", recorder,
                      static_cast<int>(points_.size()));
  NS_RETURN_IF_ERROR(
      InsertMethodCall(copy_, name, "forward", {&value}, place).status());
  points_.push_back({layer, is_input, dim, ObserverIn(recorder), {}});
  return absl::OkStatus();
}

absl::Status ChannelSampler::Run(const std::vector<c10::IValue>& arguments,
                                 const torch::jit::Kwargs& keywords) {
  const absl::Status run = copy_.Run(arguments, keywords).status();
  const absl::Status taken = CatchTorchErrors("sampling values of layers", [&] {
    for (Point& point : points_) {
      const ObserverState values = point.recorder->State();
      point.recorder->Reset();
      if (run.ok()) {
        for (const auto& [number, value] : values) {
          Take(value, point);
        }
      }
    }
  });
  return run.ok() ? taken : run;
}

void ChannelSampler::Take(const at::Tensor& value, Point& point) {
  if (value.dim() < point.dim) {
    return;
  }
  const at::Tensor rows = FiniteRows(value, point.dim);
  if (rows.size(0) == 0 || rows.size(1) == 0) {
    return;
  }
  ChannelSample& sample =
      (point.is_input ? samples_.inputs : samples_.outputs)[point.layer];
  const at::Tensor largest = rows.abs().amax(0);
  TORCH_CHECK(
      !sample.largest.defined() || sample.largest.sizes() == largest.sizes(),
      point.layer, " has changed its number of channels");
  sample.largest =
      sample.largest.defined() ? at::maximum(sample.largest, largest) : largest;
  if (!point.is_input) {
    return;
  }
  at::Tensor keys = at::rand({rows.size(0)}, random_);
  at::Tensor all = rows;
  if (point.keys.defined()) {
    keys = at::cat({point.keys, keys});
    all = at::cat({sample.rows, rows});
  }
  const int64_t kept = std::min(options_.most_rows, keys.size(0));
  at::Tensor chosen;
  std::tie(point.keys, chosen) = keys.topk(kept);
  sample.rows = all.index_select(0, chosen);
}

}  // namespace ns
