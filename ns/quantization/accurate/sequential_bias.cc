#include "ns/quantization/accurate/sequential_bias.h"

#include <ATen/ATen.h>
#include <torch/csrc/jit/ir/ir.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "ir/base/status.h"
#include "ns/batches/batch.h"
#include "ns/quantization/model/calibrator.h"
#include "passes/quantization/convert/convert_observers.h"
#include "passes/quantization/layers/bias_correction.h"
#include "passes/quantization/observe/prepared_model.h"
#include "passes/quantization/observe/strip_observers.h"
#include "passes/rewrite/tap_value.h"

namespace ns {
namespace {

using ::torch::jit::Node;

// The channels of `y`, the output of a layer: [batch, channel, space...], or
// [..., channel] of a linear layer.
struct Channels {
  bool are_last = false;
  int64_t spatial_dimensions = 0;

  int64_t DimOf(const at::Tensor& y) const {
    return are_last ? y.dim() - 1 : y.dim() - 1 - spatial_dimensions;
  }

  // Float64, [channels].
  at::Tensor MeanOf(const at::Tensor& y) const {
    return y.to(at::kDouble)
        .movedim(DimOf(y), 0)
        .flatten(/*start_dim=*/1)
        .mean(1);
  }

  at::Tensor Shifted(const at::Tensor& y, const at::Tensor& shift) const {
    std::vector<int64_t> sizes(static_cast<size_t>(y.dim()), 1);
    sizes[static_cast<size_t>(DimOf(y))] = shift.numel();
    return y + shift.to(y.scalar_type()).view(sizes);
  }
};

// What is known of a layer in the batch that runs.
struct LayerMeans {
  Channels channels;
  // The means in float, one for each time that it ran.
  std::vector<at::Tensor> in_float;
  size_t next = 0;
  // Over all batches.
  at::Tensor sum;
  int64_t count = 0;
};

// The layers of `model` that can be corrected, by index.
std::map<int64_t, Channels> Correctable(
    const std::map<int64_t, Node*>& layers) {
  std::map<int64_t, Channels> channels;
  for (const auto& [index, node] : layers) {
    if (const auto geometry = CorrectableGeometry(*node)) {
      channels[index] = {node->kind() == c10::aten::linear,
                         static_cast<int64_t>(geometry->kernel.size())};
    }
  }
  return channels;
}

at::Tensor CorrectedOutput(LayerMeans& layer, const at::Tensor& y) {
  if (layer.next >= layer.in_float.size() || y.numel() == 0) {
    return y;
  }
  const at::Tensor shift =
      layer.in_float[layer.next++] - layer.channels.MeanOf(y);
  if (!shift.isfinite().all().item<bool>()) {
    return y;
  }
  layer.sum = layer.sum.defined() ? layer.sum + shift : shift;
  ++layer.count;
  return layer.channels.Shifted(y, shift);
}

}  // namespace

absl::StatusOr<std::map<std::string, at::Tensor>> SequentialBiasShifts(
    const ModelGraph& prepared, const LayerCorrections& corrections,
    const BatchReader& batches, absl::Span<const int64_t> numbers,
    ConversionCache* cache, const std::function<void()>& after_batch) {
  NS_ASSIGN_OR_RETURN(const PreparedModel record,
                      AttachedPreparedModel(prepared.module()));
  NS_ASSIGN_OR_RETURN(ModelGraph in_float, prepared.Clone());
  NS_ASSIGN_OR_RETURN(const auto float_layers, StripObservers(in_float));
  std::map<int64_t, LayerMeans> means;
  for (const auto& [index, channels] : Correctable(float_layers)) {
    LayerMeans& layer = means[index];
    layer.channels = channels;
    NS_RETURN_IF_ERROR(TapValue(in_float, *float_layers.at(index)->output(),
                                [&layer](const at::Tensor& y) {
                                  layer.in_float.push_back(
                                      layer.channels.MeanOf(y));
                                  return y;
                                }));
  }
  NS_ASSIGN_OR_RETURN(ModelGraph quantized, prepared.Clone());
  // Converting keeps the ops of layers.
  const std::map<int64_t, Node*> layers = WeightedLayers(quantized);
  ConvertObserversOptions options;
  options.corrections = corrections;
  options.cache = cache;
  NS_ASSIGN_OR_RETURN(const QuantizationReport report,
                      ConvertObservers(quantized, options));
  std::set<std::string> in_int8;
  for (const LayerQuantization& layer : report.layers) {
    in_int8.insert(layer.name);
  }
  for (auto& [index, layer] : means) {
    if (in_int8.count(record.layers[static_cast<size_t>(index)].name) == 0) {
      continue;
    }
    NS_RETURN_IF_ERROR(TapValue(quantized, *layers.at(index)->output(),
                                [&layer = layer](const at::Tensor& y) {
                                  return CorrectedOutput(layer, y);
                                }));
  }
  NS_ASSIGN_OR_RETURN(Calibrator float_runner, Calibrator::Create(in_float));
  NS_ASSIGN_OR_RETURN(Calibrator runner, Calibrator::Create(quantized));
  for (const int64_t i : numbers) {
    for (auto& [index, layer] : means) {
      layer.in_float.clear();
      layer.next = 0;
    }
    NS_ASSIGN_OR_RETURN(const Batch batch, batches.Read(i));
    NS_RETURN_IF_ERROR(float_runner.Run(batch, i));
    NS_RETURN_IF_ERROR(runner.Run(batch, i));
    if (after_batch) {
      after_batch();
    }
  }
  std::map<std::string, at::Tensor> shifts;
  for (const auto& [index, layer] : means) {
    if (layer.count > 0) {
      shifts[record.layers[static_cast<size_t>(index)].name] =
          (layer.sum / static_cast<double>(layer.count)).to(at::kFloat);
    }
  }
  return shifts;
}

}  // namespace ns
