#include "tests/testing/chain_layers.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "passes/kernels/isa.h"
#include "tests/testing/modules.h"

namespace ns {
namespace {

// Quantizes `weight` as QuantizeWeight does, with 7 bits on processors where
// the sums of LibTorch's oneDNN saturate with 8.
at::Tensor WithoutSaturation(const at::Tensor& weight) {
  if (kernels::IsSupported(kernels::Isa::kAvx512Vnni)) {
    return QuantizeWeight(weight);
  }
  const double scale = std::max(weight.abs().max().item<double>(), 1e-6) / 64;
  return at::quantize_per_tensor(weight, scale, 0, at::kQInt8);
}

at::Tensor Random(uint64_t seed, at::IntArrayRef sizes) {
  return at::randn(sizes, at::detail::createCPUGenerator(seed), at::kFloat);
}

c10::IValue Pack(int dims, const ChainWeights& weights) {
  const at::Tensor quantized = WithoutSaturation(weights.weight);
  if (dims == 0) {
    return CallOp("quantized::linear_prepack", {quantized, weights.bias});
  }
  const std::vector<int64_t> ones(dims, 1);
  return CallOp(absl::StrCat("quantized::conv", dims, "d_prepack"),
                {quantized, weights.bias, ones, ones, ones, int64_t{1}});
}

// Folds y = (Wx + b - mean) * scale + bias into one layer.
void Fold(const ChainNorm& norm, ChainWeights& weights) {
  const at::Tensor scale =
      norm.weight / at::sqrt(norm.variance + kChainEpsilon);
  std::vector<int64_t> shape(weights.weight.dim(), 1);
  shape[0] = -1;
  weights.weight = weights.weight * scale.reshape(shape);
  weights.bias = (weights.bias - norm.mean) * scale + norm.bias;
}

ChainWeights MakeWeights(int dims, int number, bool folded) {
  std::vector<int64_t> shape = {kChainChannels, kChainChannels};
  shape.resize(2 + dims, 3);
  const uint64_t seed = 1000 * (dims + 1) + number;
  ChainWeights weights;
  const double fan_in = kChainChannels * std::pow(3, dims);
  weights.weight = Random(seed, shape) / std::sqrt(fan_in);
  weights.bias = Random(seed + 500, {kChainChannels}) * 0.2;
  if (folded) {
    Fold(ChainNormAt(number), weights);
  }
  for (c10::IValue& packed : weights.packed) {
    packed = Pack(dims, weights);
  }
  return weights;
}

}  // namespace

const ChainNorm& ChainNormAt(int number) {
  static auto& norms = *new std::map<int, ChainNorm>();
  ChainNorm& norm = norms[number];
  if (!norm.weight.defined()) {
    const uint64_t seed = 100000 + 10 * number;
    const std::vector<int64_t> shape = {kChainChannels};
    // Norms are as in real networks: none of them keeps its input unchanged.
    norm.weight = 1 + 0.3 * at::tanh(Random(seed, shape));
    norm.bias = 0.3 * Random(seed + 1, shape);
    norm.mean = 0.3 * Random(seed + 2, shape);
    norm.variance = at::exp(0.4 * Random(seed + 3, shape)) * 0.5;
  }
  return norm;
}

const ChainWeights& ChainWeightsAt(int dims, int number, bool folded) {
  static auto& pool = *new std::map<std::tuple<int, int, bool>, ChainWeights>();
  const auto [it, is_new] = pool.try_emplace({dims, number, folded});
  if (is_new) {
    it->second = MakeWeights(dims, number, folded);
  }
  return it->second;
}

}  // namespace ns
