#include "passes/quantization/convert/conversion_cache.h"

#include <ATen/ATen.h>

#include "ir/base/status.h"
#include "passes/quantization/layers/constant_weights.h"
#include "passes/quantization/qconfig/qconfig.h"
#include "passes/runtime/observers/observer_options.h"

namespace ns {

const CalibratedValue& ConversionCache::Ask(const ObserverPtr& observer) {
  const auto known = answers_.find(observer.get());
  return known != answers_.end()
             ? known->second
             : answers_.emplace(observer.get(), AskObserver(observer))
                   .first->second;
}

absl::StatusOr<at::Tensor> ConversionCache::Quantized(
    const at::Tensor& weight, const ObserverConfig& config) {
  std::vector<QuantizedWeight>& known = weights_[weight.data_ptr()];
  for (const QuantizedWeight& one : known) {
    if (one.config == config && one.weight.sizes() == weight.sizes() &&
        one.weight.strides() == weight.strides() &&
        one.weight.scalar_type() == weight.scalar_type()) {
      return one.quantized;
    }
  }
  ObserverSpec spec;
  spec.config = config;
  NS_ASSIGN_OR_RETURN(const at::Tensor quantized,
                      QuantizedBySpec(weight, spec));
  known.push_back({weight, config, quantized});
  return quantized;
}

}  // namespace ns
