#include "passes/quantization/layers/describe_weights.h"

#include <ATen/ATen.h>

#include <string>

#include "passes/runtime/observers/observer_names.h"

namespace ns {

WeightQuantization DescribeWeights(absl::Span<const at::Tensor> weights,
                                   at::QScheme qscheme) {
  WeightQuantization described{std::string(QSchemeName(qscheme)), {}};
  for (const at::Tensor& weight : weights) {
    if (weight.qscheme() == at::kPerTensorAffine) {
      described.scales.push_back(weight.q_scale());
      continue;
    }
    const at::Tensor scales =
        weight.q_per_channel_scales().to(at::kDouble).contiguous();
    described.scales.insert(described.scales.end(), scales.data_ptr<double>(),
                            scales.data_ptr<double>() + scales.numel());
  }
  return described;
}

}  // namespace ns
