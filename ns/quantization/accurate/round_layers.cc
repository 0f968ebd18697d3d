#include "ns/quantization/accurate/round_layers.h"

#include <ATen/ATen.h>
#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "ir/base/refusal.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ir/graph/node_view.h"
#include "ns/quantization/accurate/adaptive_rounding.h"
#include "ns/quantization/model/calibrator.h"
#include "passes/analysis/conv_numbers.h"
#include "passes/quantization/convert/calibrated_value.h"
#include "passes/quantization/layers/bias_correction.h"
#include "passes/quantization/layers/constant_weights.h"
#include "passes/quantization/observe/prepared_model.h"
#include "passes/quantization/observe/strip_observers.h"
#include "passes/rewrite/tap_value.h"
#include "passes/runtime/observers/observer_options.h"

namespace ns {
namespace {

using ::torch::jit::Node;

// Of a convolution, a sample is an image; of a linear layer, a row.
constexpr int64_t kImages = 64;
constexpr int64_t kRows = 2048;
constexpr int64_t kRowsInStep = 256;
// Of one layer: 64 MB.
constexpr int64_t kMostElements = int64_t{1} << 24;

// A layer whose weight is rounded.
struct Layer {
  std::string name;
  RoundingProblem problem;
  // How its input is rounded.
  QParams input;
  QuantGrid input_grid;
  // How many dimensions its input has when it is one sample.
  int64_t sample_dimensions = 0;
  // At most, of all batches and of each.
  int64_t most_samples = 0;
  int64_t most_of_batch = 0;
  // What it took so far, each [samples, ...].
  std::vector<at::Tensor> inputs;
  int64_t samples = 0;
  int64_t elements = 0;
};

// Whether only a relu takes the output of `node`.
bool HasRelu(const Node& node) {
  const Node* user = OnlyUser(*node.output());
  return user != nullptr && user->kind() == c10::aten::relu;
}

// The function that `node` computes, with a relu behind it.
absl::StatusOr<decltype(RoundingProblem::layer)> FunctionOf(
    const Node& node, const ConvGeometry& geometry) {
  NS_ASSIGN_OR_RETURN(const at::Tensor bias,
                      ConstantTensor(*InputNamed(node, "bias"), "its bias"));
  const bool has_relu = HasRelu(node);
  const auto with_relu = [has_relu](const at::Tensor& y) {
    return has_relu ? y.relu() : y;
  };
  if (geometry.kernel.empty()) {
    return [=](const at::Tensor& x, const at::Tensor& weight) {
      return with_relu(at::linear(x, weight, bias));
    };
  }
  NS_ASSIGN_OR_RETURN(
      const int64_t groups,
      ConvNumbers(node, geometry.kernel.size()).Number("groups"));
  const std::vector<int64_t> zeros(geometry.kernel.size(), 0);
  return [=](const at::Tensor& x, const at::Tensor& weight) {
    return with_relu(at::convolution(x, weight, bias, geometry.stride,
                                     geometry.padding, geometry.dilation,
                                     /*transposed=*/false, zeros, groups));
  };
}

// A refusal for a layer that is not rounded.
absl::StatusOr<Layer> LayerOf(const PreparedLayer& record, const Node& node,
                              const ModelGraph& prepared) {
  const std::optional<ConvGeometry> geometry = CorrectableGeometry(node);
  if (!geometry) {
    return Refusal("its bias or its numbers are not constant");
  }
  const ObserverPtr observer = AttachedObserver(
      prepared.module(), ObserverAttribute(record.inputs.at(0)));
  if (observer == nullptr) {
    return Refusal("its observer is gone from the graph");
  }
  const CalibratedValue input = AskObserver(observer);
  NS_RETURN_IF_ERROR(input.status);
  Layer layer;
  layer.name = record.name;
  layer.input = input.qparams;
  layer.input_grid = GridOf(observer->config());
  layer.sample_dimensions =
      geometry->kernel.empty()
          ? 1
          : static_cast<int64_t>(geometry->kernel.size()) + 1;
  NS_ASSIGN_OR_RETURN(layer.problem.layer, FunctionOf(node, *geometry));
  NS_ASSIGN_OR_RETURN(
      layer.problem.weight,
      ConstantTensor(*InputNamed(node, "weight"), "its weight"));
  ObserverSpec spec;
  NS_ASSIGN_OR_RETURN(spec.config, ParseObserverConfig(record.weight));
  NS_ASSIGN_OR_RETURN(layer.problem.nearest,
                      QuantizedBySpec(layer.problem.weight, spec));
  const QuantGrid grid = GridOf(spec.config);
  layer.problem.quant_min = grid.quant_min;
  layer.problem.quant_max = grid.quant_max;
  return layer;
}

// Keeps some samples of `x`, evenly spaced ones. All are of the sizes of the
// first, to be joined to one tensor.
void Keep(const at::Tensor& x, Layer& layer) {
  at::Tensor samples = x;
  if (layer.sample_dimensions == 1) {
    samples = x.reshape({-1, x.size(-1)});
  } else if (x.dim() == layer.sample_dimensions) {
    samples = x.unsqueeze(0);
  }
  if (!layer.inputs.empty() &&
      samples.sizes().slice(1) != layer.inputs.front().sizes().slice(1)) {
    return;
  }
  const int64_t in_sample = std::max<int64_t>(
      1, samples.numel() / std::max<int64_t>(1, samples.size(0)));
  const int64_t count = std::min(
      {layer.most_of_batch, samples.size(0), layer.most_samples - layer.samples,
       (kMostElements - layer.elements) / in_sample});
  if (count <= 0 || !x.isfinite().all().item<bool>()) {
    return;
  }
  const at::Tensor chosen =
      at::arange(count, at::kLong).mul(samples.size(0)).floor_divide(count);
  layer.inputs.push_back(samples.index_select(0, chosen));
  layer.samples += count;
  layer.elements += count * in_sample;
}

// Joins the samples of `layer`, and rounds them as its observer has it.
absl::Status JoinSamples(Layer& layer) {
  return CatchTorchErrors([&] {
    RoundingProblem& problem = layer.problem;
    // What inference mode has made takes no part in gradients; clones do.
    problem.inputs = at::cat(layer.inputs).clone();
    problem.rounded_inputs = at::fake_quantize_per_tensor_affine(
        problem.inputs, layer.input.scale, layer.input.zero_point,
        layer.input_grid.quant_min, layer.input_grid.quant_max);
  });
}

// Runs the float model, and keeps what the layers take.
absl::StatusOr<std::vector<std::unique_ptr<Layer>>> Gather(
    const ModelGraph& prepared, const std::vector<Batch>& batches) {
  NS_ASSIGN_OR_RETURN(const PreparedModel record,
                      AttachedPreparedModel(prepared.module()));
  NS_ASSIGN_OR_RETURN(ModelGraph model, prepared.Clone());
  NS_ASSIGN_OR_RETURN(const auto nodes, StripObservers(model));
  const auto runs = std::max<int64_t>(1, static_cast<int64_t>(batches.size()));
  std::vector<std::unique_ptr<Layer>> layers;
  for (const auto& [index, node] : nodes) {
    absl::StatusOr<Layer> found =
        LayerOf(record.layers[static_cast<size_t>(index)], *node, prepared);
    if (IsRefusal(found.status())) {
      continue;
    }
    NS_RETURN_IF_ERROR(found.status());
    layers.push_back(std::make_unique<Layer>(*std::move(found)));
    Layer* layer = layers.back().get();
    const bool has_rows = layer->sample_dimensions == 1;
    layer->most_samples = has_rows ? kRows : kImages;
    layer->most_of_batch = (layer->most_samples + runs - 1) / runs;
    if (has_rows) {
      layer->problem.samples_in_step = kRowsInStep;
    }
    NS_RETURN_IF_ERROR(TapInput(model, *node, 0, [layer](const at::Tensor& x) {
      Keep(x, *layer);
      return x;
    }));
  }
  NS_ASSIGN_OR_RETURN(Calibrator runner, Calibrator::Create(model));
  for (size_t i = 0; i < batches.size(); ++i) {
    NS_RETURN_IF_ERROR(runner.Run(batches[i], static_cast<int64_t>(i)));
  }
  return layers;
}

}  // namespace

absl::StatusOr<std::map<std::string, at::Tensor>> RoundLayers(
    const ModelGraph& prepared, const std::vector<Batch>& batches,
    int64_t iterations,
    const std::function<void(int64_t done, int64_t total)>& progress) {
  NS_ASSIGN_OR_RETURN(std::vector<std::unique_ptr<Layer>> layers,
                      Gather(prepared, batches));
  const int64_t total = iterations * static_cast<int64_t>(layers.size());
  int64_t done = 0;
  const auto report = [&](int64_t steps) {
    done = steps;
    if (progress) {
      progress(done, total);
    }
  };
  int64_t done_with_layer = 0;
  std::map<std::string, at::Tensor> weights;
  for (std::unique_ptr<Layer>& layer : layers) {
    RoundingProblem& problem = layer->problem;
    if (!layer->inputs.empty()) {
      NS_RETURN_IF_ERROR(Annotated(layer->name, JoinSamples(*layer)));
      NS_ASSIGN_OR_RETURN(
          at::Tensor rounded,
          Annotated(layer->name, AdaptivelyRounded(problem, iterations,
                                                   [&] { report(done + 1); })));
      if (!rounded.is_same(problem.nearest)) {
        weights[layer->name] = std::move(rounded);
      }
    }
    layer.reset();
    done_with_layer += iterations;
    if (done < done_with_layer) {
      report(done_with_layer);
    }
  }
  return weights;
}

}  // namespace ns
