// Weights as quantized tensors, by what an observer finds for them.
#ifndef PASSES_RUNTIME_OBSERVERS_QUANTIZED_WEIGHT_H_
#define PASSES_RUNTIME_OBSERVERS_QUANTIZED_WEIGHT_H_

#include <ATen/core/Tensor.h>

#include "passes/runtime/observers/observer.h"
#include "passes/runtime/observers/observer_config.h"

namespace ns {

// `weight`, of floating point and not empty, quantized to the dtype of
// `config`, with the parameters that its observer finds for it alone; per
// channel along ch_axis for schemes of that kind. Integers are those of
// GridOf(config), also where that is narrower than the dtype (reference:
// _quantize_weight of torch/ao/nn/quantized/modules/utils.py). Throws
// c10::Error for kinds without parameters and for weights with nan or infinite
// values.
at::Tensor QuantizedWeight(const at::Tensor& weight,
                           const ObserverConfig& config);

// The same with the parameters that `observer` has found by now: for weights
// that were observed while a model was trained.
at::Tensor QuantizedWeight(const at::Tensor& weight, const Observer& observer);

}  // namespace ns

#endif  // PASSES_RUNTIME_OBSERVERS_QUANTIZED_WEIGHT_H_
