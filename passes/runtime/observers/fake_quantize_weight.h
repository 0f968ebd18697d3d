// Weights as a quantized op sees them.
#ifndef PASSES_RUNTIME_OBSERVERS_FAKE_QUANTIZE_WEIGHT_H_
#define PASSES_RUNTIME_OBSERVERS_FAKE_QUANTIZE_WEIGHT_H_

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace ns {

// What weights are stored as; numbers are saved with models.
enum class WeightDtype : int64_t {
  kFloat = 0,
  kInt8 = 1,  // symmetric, -128..127
  kInt4 = 2,  // symmetric, -8..7
  kHalf = 3,
};

struct WeightConfig {
  WeightDtype dtype = WeightDtype::kFloat;
  // One scale for each element of the first dimension, the output channels of a
  // linear or a convolution, instead of one for all. For integers.
  bool per_channel = false;

  bool operator==(const WeightConfig& other) const {
    return dtype == other.dtype && per_channel == other.per_channel;
  }
};

// `weight` quantized and dequantized, in the dtype it has. Scales are those of
// the largest magnitude (see ChooseQParams, symmetric). Tensors that are not of
// floating point, and empty ones, are handed on as they are.
//
// Registered as ns::fake_quantize_weight(Tensor weight, int dtype,
// bool per_channel) -> Tensor, for weights that a graph computes.
at::Tensor FakeQuantizeWeight(const at::Tensor& weight,
                              const WeightConfig& config);

// The same for the parameters of a recurrent layer, of which vectors are biases
// and stay as they are. Registered as the overload of lists.
std::vector<at::Tensor> FakeQuantizeWeights(
    const std::vector<at::Tensor>& parameters, const WeightConfig& config);

}  // namespace ns

#endif  // PASSES_RUNTIME_OBSERVERS_FAKE_QUANTIZE_WEIGHT_H_
