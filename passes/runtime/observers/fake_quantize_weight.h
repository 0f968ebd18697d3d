// Weights as a quantized op sees them.
#ifndef PASSES_RUNTIME_OBSERVERS_FAKE_QUANTIZE_WEIGHT_H_
#define PASSES_RUNTIME_OBSERVERS_FAKE_QUANTIZE_WEIGHT_H_

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "passes/runtime/observers/observer_config.h"

namespace ns {

// `weight` quantized with what a new observer of `config` finds for it, and
// dequantized, in the dtype it has; or rounded to half precision (ModeOf),
// where values beyond the range become its nearest end, as in LibTorch's
// linear_prepack_fp16. Tensors that are not of floating point, empty ones, and
// modes that do not quantize hand it on as it is. Throws c10::Error for what
// MakeObserver refuses, for kinds without parameters and for a weight without
// channels. Gradients pass as those of FakeQuantized (tensor_qparams.h).
//
// Registered as ns::fake_quantize_weight(Tensor weight, str[] observer) ->
// Tensor, for weights that a graph computes; see ObserverArgument.
at::Tensor FakeQuantizeWeight(const at::Tensor& weight,
                              const ObserverConfig& config);

// The same for the parameters of a recurrent layer, of which vectors are biases
// and stay as they are. Registered as the overload of lists.
std::vector<at::Tensor> FakeQuantizeWeights(
    const std::vector<at::Tensor>& parameters, const ObserverConfig& config);

// What the operators are told for `config`: its options, as "dtype=qint8".
std::vector<std::string> ObserverArgument(const ObserverConfig& config);

}  // namespace ns

#endif  // PASSES_RUNTIME_OBSERVERS_FAKE_QUANTIZE_WEIGHT_H_
