// Calls the convolutions that run ns kernels.
#ifndef TESTS_PASSES_RUNTIME_FBGEMM_OPS_CONV_CALLS_H_
#define TESTS_PASSES_RUNTIME_FBGEMM_OPS_CONV_CALLS_H_

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "passes/runtime/fbgemm_ops/fbgemm_conv.h"
#include "tests/passes/runtime/fbgemm_ops/against_libtorch.h"

namespace ns {

// LibTorch's engine is onednn, and random numbers are the same in each test.
class ConvCallsTest : public ::testing::Test {
 protected:
  ConvCallsTest();
};

// Returns sizes of a weight and of its input, of one to three dimensions.
std::vector<std::pair<std::vector<int64_t>, std::vector<int64_t>>> ConvSizes();

// Returns a convolution with strides and dilations of 1 and without padding.
FbgemmConvParameters ConvParameters(const at::Tensor& weight,
                                    const at::Tensor& bias = {});

// Returns the packed layer that lowered graphs call, in exact sums.
c10::IValue FbgemmConvOf(const FbgemmConvParameters& parameters);

// "conv2d", "conv_transpose1d".
std::string ConvName(const FbgemmConvParameters& parameters);

// Runs "ns::fbgemm_conv2d<suffix>", or what ConvName says, on `x`, the layer
// and `rest`.
at::Tensor RunConv(const std::string& suffix, const at::Tensor& x,
                   const FbgemmConvParameters& parameters, Arguments rest);

}  // namespace ns

#endif  // TESTS_PASSES_RUNTIME_FBGEMM_OPS_CONV_CALLS_H_
