#include "passes/runtime/fbgemm_ops/packed_weight.h"

#include <ATen/Functions.h>

#include <optional>
#include <utility>

#include "passes/runtime/fbgemm_ops/quantized_data.h"

namespace ns {
WeightQParams ReadWeightQParams(const at::Tensor& weight, int64_t axis,
                                const char* layer) {
  TORCH_CHECK(weight.defined() && weight.is_quantized() &&
                  weight.scalar_type() == at::kQInt8,
              layer, ": the weight must be a qint8 tensor");
  WeightQParams qparams;
  if (weight.qscheme() == at::kPerTensorAffine) {
    qparams.scales = {static_cast<float>(weight.q_scale())};
    qparams.zero_points = {static_cast<int32_t>(weight.q_zero_point())};
    return qparams;
  }
  TORCH_CHECK(weight.qscheme() == at::kPerChannelAffine &&
                  weight.q_per_channel_axis() == axis,
              layer,
              ": the weight must have one scale, or one for each index of "
              "dimension ",
              axis);
  const at::Tensor scales = weight.q_per_channel_scales().to(at::kFloat);
  const at::Tensor zero_points =
      weight.q_per_channel_zero_points().to(at::kInt);
  for (int64_t channel = 0; channel < weight.size(axis); ++channel) {
    qparams.scales.push_back(scales[channel].item<float>());
    qparams.zero_points.push_back(zero_points[channel].item<int32_t>());
  }
  return qparams;
}

std::vector<float> ReadBias(const at::Tensor& bias, int64_t channels,
                            const char* layer) {
  if (!bias.defined()) {
    return {};
  }
  TORCH_CHECK(bias.dim() == 1 && bias.size(0) == channels &&
                  bias.scalar_type() == at::kFloat,
              layer, ": the bias must be ", channels, " floats");
  const at::Tensor dense = bias.detach().contiguous();
  const float* data = dense.data_ptr<float>();
  return std::vector<float>(data, data + channels);
}

kernels::SaturationMode ParseSaturationMode(const std::string& name,
                                            const char* layer) {
  const std::optional<kernels::SaturationMode> mode =
      kernels::FindSaturationMode(name);
  TORCH_CHECK(mode.has_value(), layer, ": unknown numerics '", name,
              "'; use exact, fbgemm-vnni or fbgemm-avx2");
  return *mode;
}

OutputQParams QuantizedOutput(double scale, int64_t zero_point,
                              const char* layer) {
  CheckQParams(scale, zero_point, layer);
  OutputQParams output;
  output.qparams = {static_cast<float>(scale),
                    static_cast<int32_t>(zero_point)};
  output.scale = scale;
  return output;
}

OutputQParams FloatOutput() {
  OutputQParams output;
  output.type = kernels::OutputType::kF32;
  return output;
}

OutputQParams Relu(OutputQParams output) {
  output.min = output.type == kernels::OutputType::kF32
                   ? 0.0f
                   : static_cast<float>(output.qparams.zero_point);
  return output;
}

OutputQParams Clamp(OutputQParams output, double min, double max) {
  output.min = static_cast<float>(min);
  output.max = static_cast<float>(max);
  if (output.type == kernels::OutputType::kU8) {
    output.min = QuantizedValueOf(output.min, output.qparams);
    output.max = QuantizedValueOf(output.max, output.qparams);
  }
  return output;
}

OutputPlans::OutputPlans(WeightQParams weight, std::vector<float> bias,
                         absl::Span<const int32_t> column_sums, int64_t k)
    : weight_(std::move(weight)),
      bias_(std::move(bias)),
      column_sums_(column_sums.begin(), column_sums.end()),
      k_(k) {}

std::shared_ptr<const kernels::OutputPlan> OutputPlans::Get(
    kernels::QParams activation, const OutputQParams& output) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (last_ == nullptr || last_->activation != activation ||
      !(last_->output == output)) {
    kernels::OutputSpec spec;
    spec.type = output.type;
    spec.activation_scale = activation.scale;
    spec.activation_zero_point = activation.zero_point;
    spec.weight_scales = weight_.scales;
    spec.weight_zero_points = weight_.zero_points;
    spec.bias = bias_;
    spec.output_scale = output.qparams.scale;
    spec.output_zero_point = output.qparams.zero_point;
    spec.min = output.min;
    spec.max = output.max;
    last_ = std::make_shared<const Cached>(Cached{
        activation, output, kernels::PlanOutput(spec, column_sums_, k_)});
  }
  return {last_, &last_->plan};
}

}  // namespace ns
