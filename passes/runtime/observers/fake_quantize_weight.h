// Weights as a quantized op sees them.
#ifndef PASSES_RUNTIME_OBSERVERS_FAKE_QUANTIZE_WEIGHT_H_
#define PASSES_RUNTIME_OBSERVERS_FAKE_QUANTIZE_WEIGHT_H_

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "passes/runtime/observers/observer_config.h"

namespace ns {

// Returns `weight` quantized with the qparams that a new observer of `config`
// finds for it, and dequantized, in the dtype it has. Where ModeOf(config) is
// kHalf, it is rounded to half precision instead, and clipped to that range as
// in LibTorch's linear_prepack_fp16. Returns `weight` itself where it is empty
// or not of floating point, and where the mode is kFloat or kDynamic. Throws
// c10::Error for what MakeObserver refuses, for kinds of observers that give no
// qparams, and for qparams per channel of a weight without channels. Gradients
// pass as those of FakeQuantized (tensor_qparams.h).
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
