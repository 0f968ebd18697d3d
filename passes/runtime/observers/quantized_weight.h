// Quantizes weights with the scales and zero points that an observer finds.
#ifndef PASSES_RUNTIME_OBSERVERS_QUANTIZED_WEIGHT_H_
#define PASSES_RUNTIME_OBSERVERS_QUANTIZED_WEIGHT_H_

#include <ATen/core/Tensor.h>

#include "passes/runtime/observers/observer.h"
#include "passes/runtime/observers/observer_config.h"

namespace ns {

// Returns `weight`, which is of floating point and not empty, quantized to the
// dtype of `config`. A new observer of `config` sees this weight alone and
// gives the scale and zero point; for per-channel schemes, one of each for each
// channel along ch_axis. The integers stay within GridOf(config)
// (observer_config.h), even where that is narrower than the dtype (reference:
// _quantize_weight of torch/ao/nn/quantized/modules/utils.py). Values are
// computed in float32. Throws c10::Error for a `config` that no observer can be
// made of, for kinds that give no scale and zero point, and for weights with
// nan or infinite values or, in float64, values beyond the range of float32.
at::Tensor QuantizedWeight(const at::Tensor& weight,
                           const ObserverConfig& config);

// The same with the scale and zero point for what `observer` has seen so far,
// and with its config: for weights that were observed while a model was
// trained. `observer` does not see `weight` here.
at::Tensor QuantizedWeight(const at::Tensor& weight, const Observer& observer);

}  // namespace ns

#endif  // PASSES_RUNTIME_OBSERVERS_QUANTIZED_WEIGHT_H_
