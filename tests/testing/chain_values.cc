#include "tests/testing/chain_values.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <vector>

#include "tests/testing/chain_layers.h"

namespace ns {
namespace {

using Values = std::vector<std::vector<at::Tensor>>;

at::Tensor Norm(const at::Tensor& x, int number) {
  const ChainNorm& norm = ChainNormAt(number);
  std::vector<int64_t> shape(x.dim(), 1);
  shape[1] = -1;
  const auto wide = [&](const at::Tensor& t) {
    return t.to(at::kDouble).reshape(shape);
  };
  return (x - wide(norm.mean)) / at::sqrt(wide(norm.variance) + kChainEpsilon) *
             wide(norm.weight) +
         wide(norm.bias);
}

at::Tensor Conv(const at::Tensor& x, const ChainWeights& weights) {
  const std::vector<int64_t> ones(x.dim() - 2, 1);
  const std::vector<int64_t> zeros(x.dim() - 2, 0);
  return at::convolution(x, weights.weight.to(at::kDouble),
                         weights.bias.to(at::kDouble), ones, ones, ones, false,
                         zeros, 1);
}

class Computation {
 public:
  Computation(const Chain& chain, bool flag)
      : chain_(chain), flag_(flag), values_(chain.values.size()) {}

  Values Run(const at::Tensor& input) && {
    values_[chain_.body.input].push_back(input.to(at::kDouble));
    RunBlock(chain_.body);
    return std::move(values_);
  }

 private:
  void RunBlock(const ChainBlock& block) {
    for (const ChainStep& step : block.steps) {
      const at::Tensor out = RunStep(step);
      values_[step.out].push_back(out);
    }
  }

  at::Tensor RunStep(const ChainStep& step) {
    const at::Tensor x = values_[step.x].back();
    switch (step.op) {
      case ChainOp::kConv:
        return Conv(x, ChainWeightsAt(static_cast<int>(x.dim()) - 2, step.layer,
                                      false));
      case ChainOp::kLinear: {
        const ChainWeights& weights = ChainWeightsAt(0, step.layer, false);
        return at::matmul(x, weights.weight.to(at::kDouble).t()) +
               weights.bias.to(at::kDouble);
      }
      case ChainOp::kNorm:
        return Norm(x, step.layer);
      case ChainOp::kRelu:
        return at::clamp_min(x, 0);
      case ChainOp::kRelu6:
        return at::clamp(x, 0, 6);
      case ChainOp::kHardtanh:
        return at::clamp(x, kChainHardtanhMin, kChainHardtanhMax);
      case ChainOp::kLeakyRelu:
        return at::where(x < 0, x * kChainLeak, x);
      case ChainOp::kHardswish:
        return x * at::clamp(x + 3, 0, 6) / 6;
      case ChainOp::kSigmoid:
        return 1 / (1 + at::exp(-x));
      case ChainOp::kTanh:
        return at::tanh(x);
      case ChainOp::kMaxPool:
        return at::max_pool2d(x, {3, 3}, {1, 1}, {1, 1});
      case ChainOp::kAvgPool:
        return at::avg_pool2d(x, {3, 3}, {1, 1}, {1, 1});
      case ChainOp::kGlobalPool:
        return x.mean({2, 3}, true);
      case ChainOp::kFlatten:
        return x.flatten(1);
      case ChainOp::kAdd:
        return x + values_[step.other].back();
      case ChainOp::kMul:
        return x * values_[step.other].back();
      case ChainOp::kDropout:
        return x;
      case ChainOp::kIf: {
        const ChainBlock& arm = step.blocks[flag_ ? 0 : 1];
        RunBlock(arm);
        return values_[arm.output].back();
      }
      case ChainOp::kLoop:
        return RunLoop(step.blocks[0], x);
    }
    return x;
  }

  at::Tensor RunLoop(const ChainBlock& body, at::Tensor carried) {
    for (int trip = 0; trip < kChainTrips; ++trip) {
      values_[body.input].push_back(carried);
      RunBlock(body);
      carried = values_[body.output].back();
    }
    return carried;
  }

  const Chain& chain_;
  const bool flag_;
  Values values_;
};

}  // namespace

at::Tensor ChainInput(const Chain& chain, int64_t seed) {
  std::vector<int64_t> sizes = {3, kChainChannels};
  sizes.resize(2 + chain.values[chain.body.input].dims, 4);
  return at::randn(sizes, at::detail::createCPUGenerator(seed), at::kFloat);
}

Values ChainValuesInFloat64(const Chain& chain, const at::Tensor& input,
                            bool flag) {
  return Computation(chain, flag).Run(input);
}

}  // namespace ns
