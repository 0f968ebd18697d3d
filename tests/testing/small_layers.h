// Makes layers with given weights, and counts what saturates in them in a
// simple way.
#ifndef TESTS_TESTING_SMALL_LAYERS_H_
#define TESTS_TESTING_SMALL_LAYERS_H_

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "passes/kernels/saturation_mode.h"
#include "passes/runtime/fbgemm_ops/fbgemm_conv.h"
#include "passes/runtime/fbgemm_ops/fbgemm_linear.h"

namespace ns {

// Returns a qint8 tensor of scale 0.01.
inline at::Tensor Int8(at::IntArrayRef sizes, const std::vector<int>& values) {
  return at::_make_per_tensor_quantized_tensor(
      at::tensor(values, at::kInt).to(at::kChar).reshape(sizes), 0.01, 0);
}

// Returns a qint8 tensor in which every value is -magnitude or magnitude.
inline at::Tensor RandomInt8(at::IntArrayRef sizes, int magnitude) {
  const at::Tensor signs = at::randint(0, 2, sizes, at::kInt) * 2 - 1;
  return at::_make_per_tensor_quantized_tensor(
      (signs * magnitude).to(at::kChar), 0.01, 0);
}

// Returns quantized values from `low` to 255, with scale 0.05 and zero point
// 64.
inline at::Tensor RandomCodes(at::IntArrayRef sizes, int low) {
  return at::_make_per_tensor_quantized_tensor(
      at::randint(low, 256, sizes, at::kInt).to(at::kByte), 0.05, 64);
}

inline c10::intrusive_ptr<FbgemmLinear> LinearLayer(
    const at::Tensor& weight,
    kernels::SaturationMode numerics = kernels::SaturationMode::kFbgemmAvx2) {
  return c10::make_intrusive<FbgemmLinear>(weight, at::Tensor(), numerics);
}

// Returns a convolution over two dimensions.
inline c10::intrusive_ptr<FbgemmConv> ConvLayer(
    const at::Tensor& weight, int64_t groups = 1, int64_t padding = 0,
    kernels::SaturationMode numerics = kernels::SaturationMode::kFbgemmAvx2) {
  FbgemmConvParameters parameters;
  parameters.weight = weight;
  parameters.stride = parameters.dilation = {1, 1};
  parameters.padding = {padding, padding};
  parameters.groups = groups;
  return c10::make_intrusive<FbgemmConv>(parameters, numerics);
}

// Returns how many sums of products of rows of `codes` and rows of `weight`,
// both matrices, change when each pair of products saturates in 16 bits.
inline int64_t CountSaturated(const at::Tensor& codes,
                              const at::Tensor& weight) {
  const at::Tensor a = codes.int_repr().to(at::kInt).contiguous();
  const at::Tensor b = weight.int_repr().to(at::kInt).contiguous();
  const int64_t k = a.size(1);
  int64_t saturated = 0;
  for (int64_t m = 0; m < a.size(0); ++m) {
    for (int64_t n = 0; n < b.size(0); ++n) {
      const int* row = a.data_ptr<int>() + m * k;
      const int* column = b.data_ptr<int>() + n * k;
      int64_t difference = 0;
      for (int64_t i = 0; i < k; i += 2) {
        const int pair =
            row[i] * column[i] + (i + 1 < k ? row[i + 1] * column[i + 1] : 0);
        difference += pair - std::min(std::max(pair, -32768), 32767);
      }
      saturated += difference != 0 ? 1 : 0;
    }
  }
  return saturated;
}

}  // namespace ns

#endif  // TESTS_TESTING_SMALL_LAYERS_H_
