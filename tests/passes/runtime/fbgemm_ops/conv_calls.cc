#include "tests/passes/runtime/fbgemm_ops/conv_calls.h"

#include <ATen/Context.h>
#include <ATen/Functions.h>

namespace ns {

using Ints = std::vector<int64_t>;

ConvCallsTest::ConvCallsTest() {
  at::globalContext().setQEngine(at::kONEDNN);
  at::manual_seed(1);
}

std::vector<std::pair<Ints, Ints>> ConvSizes() {
  return {{{7, 3, 4}, {2, 3, 11}},
          {{7, 3, 3, 2}, {2, 3, 9, 8}},
          {{5, 3, 2, 3, 3}, {2, 3, 5, 6, 7}}};
}

FbgemmConvParameters ConvParameters(const at::Tensor& weight,
                                    const at::Tensor& bias) {
  FbgemmConvParameters p;
  p.weight = weight;
  p.bias = bias;
  const size_t dimensions = weight.dim() - 2;
  p.stride = Ints(dimensions, 1);
  p.padding = Ints(dimensions, 0);
  p.dilation = Ints(dimensions, 1);
  return p;
}

c10::IValue FbgemmConvOf(const FbgemmConvParameters& parameters) {
  return c10::make_intrusive<FbgemmConv>(parameters,
                                         kernels::SaturationMode::kExact);
}

std::string ConvName(const FbgemmConvParameters& parameters) {
  return std::string(parameters.transposed ? "conv_transpose" : "conv") +
         std::to_string(parameters.weight.dim() - 2) + "d";
}

at::Tensor RunConv(const std::string& suffix, const at::Tensor& x,
                   const FbgemmConvParameters& parameters, Arguments rest) {
  rest.insert(rest.begin(), {x, FbgemmConvOf(parameters)});
  return Output("ns::fbgemm_" + ConvName(parameters) + suffix, rest);
}

}  // namespace ns
