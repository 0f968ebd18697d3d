#include "ns/quantization/accurate/adaptive_rounding.h"

#include <ATen/ATen.h>
#include <torch/optim/adam.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "ir/base/status.h"
#include "ir/base/torch_errors.h"

namespace ns {
namespace {

// h(v) = clamp(sigmoid(v) (high - low) + low, 0, 1).
constexpr double kLow = -0.1;
constexpr double kHigh = 1.1;
constexpr double kRate = 1e-2;
// In the first part of the steps, there is no penalty; then its exponent falls
// from the first to the last, which makes it steeper between 0 and 1.
constexpr double kWithoutPenalty = 0.2;
constexpr double kFirstExponent = 20;
constexpr double kLastExponent = 2;
// Of the penalty, in errors of the nearest integers.
constexpr double kPenalty = 1;

// The weight as steps of its quantized values.
class Steps {
 public:
  explicit Steps(const RoundingProblem& problem)
      : problem_(problem), nearest_(problem.nearest) {
    const at::Tensor weight = problem.weight.detach().to(at::kDouble);
    if (IsPerChannel()) {
      std::vector<int64_t> sizes(static_cast<size_t>(weight.dim()), 1);
      sizes[static_cast<size_t>(nearest_.q_per_channel_axis())] = -1;
      scale_ = nearest_.q_per_channel_scales().to(at::kDouble).view(sizes);
      zero_ = nearest_.q_per_channel_zero_points().to(at::kDouble).view(sizes);
    } else {
      scale_ = at::scalar_tensor(nearest_.q_scale(), at::kDouble);
      zero_ = at::scalar_tensor(nearest_.q_zero_point(), at::kDouble);
    }
    const at::Tensor steps = weight / scale_;
    below_ = steps.floor();
    fraction_ = (steps - below_).to(at::kFloat);
  }

  // How far each weight is above the step below it, in steps: 0 to 1.
  const at::Tensor& fraction() const { return fraction_; }

  // The weight with `up` in the place of the fraction.
  at::Tensor WeightFor(const at::Tensor& up) const {
    return ((IntegersFor(up) - zero_) * scale_).to(at::kFloat);
  }

  at::Tensor QuantizedFor(const at::Tensor& up) const {
    const at::Tensor integers =
        IntegersFor(up).round().to(nearest_.int_repr().scalar_type());
    return IsPerChannel()
               ? at::_make_per_channel_quantized_tensor(
                     integers, nearest_.q_per_channel_scales(),
                     nearest_.q_per_channel_zero_points(),
                     nearest_.q_per_channel_axis())
               : at::_make_per_tensor_quantized_tensor(
                     integers, nearest_.q_scale(), nearest_.q_zero_point());
  }

 private:
  bool IsPerChannel() const {
    return nearest_.qscheme() != at::kPerTensorAffine &&
           nearest_.qscheme() != at::kPerTensorSymmetric;
  }

  at::Tensor IntegersFor(const at::Tensor& up) const {
    return (below_ + up + zero_)
        .clamp(static_cast<double>(problem_.quant_min),
               static_cast<double>(problem_.quant_max));
  }

  const RoundingProblem& problem_;
  const at::Tensor& nearest_;
  at::Tensor scale_;
  at::Tensor zero_;
  at::Tensor below_;
  at::Tensor fraction_;
};

at::Tensor Stretched(const at::Tensor& v) {
  return (v.sigmoid() * (kHigh - kLow) + kLow).clamp(0, 1);
}

// The v for which Stretched gives `fraction`.
at::Tensor Unstretched(const at::Tensor& fraction) {
  return ((fraction - kLow) / (kHigh - kLow)).logit();
}

double ErrorOf(const RoundingProblem& problem, const at::Tensor& weight) {
  const at::NoGradGuard no_grad;
  return (problem.layer(problem.inputs, problem.weight) -
          problem.layer(problem.rounded_inputs, weight))
      .to(at::kDouble)
      .square()
      .mean()
      .item<double>();
}

at::Tensor Round(const RoundingProblem& problem, int64_t iterations,
                 const std::function<void()>& after_step) {
  const double of_nearest = ErrorOf(problem, problem.nearest.dequantize());
  if (!(of_nearest > 0) || !std::isfinite(of_nearest)) {
    return problem.nearest;
  }
  const at::AutoGradMode with_gradients(true);
  const Steps steps(problem);
  at::Tensor v = Unstretched(steps.fraction()).detach().set_requires_grad(true);
  torch::optim::Adam optimizer({v}, torch::optim::AdamOptions(kRate));
  const int64_t samples = problem.inputs.size(0);
  const int64_t in_step = std::min(samples, problem.samples_in_step);
  for (int64_t i = 0; i < iterations; ++i) {
    // One slice after the other, around the end.
    const at::Tensor chosen =
        at::arange(in_step, at::kLong).add(i * in_step).remainder(samples);
    const at::Tensor up = Stretched(v);
    at::Tensor loss =
        (problem.layer(problem.inputs.index_select(0, chosen), problem.weight)
             .detach() -
         problem.layer(problem.rounded_inputs.index_select(0, chosen),
                       steps.WeightFor(up)))
            .square()
            .mean() /
        of_nearest;
    const double done =
        static_cast<double>(i) / static_cast<double>(iterations);
    if (done >= kWithoutPenalty) {
      const double part = (done - kWithoutPenalty) / (1 - kWithoutPenalty);
      const double exponent =
          kLastExponent + (kFirstExponent - kLastExponent) * (1 - part);
      loss = loss + (1 - (2 * up - 1).abs().pow(exponent)).mean() * kPenalty;
    }
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
    if (after_step) {
      after_step();
    }
  }
  const at::NoGradGuard no_grad;
  const at::Tensor up = Stretched(v).ge(0.5).to(at::kDouble);
  return ErrorOf(problem, steps.WeightFor(up)) < of_nearest
             ? steps.QuantizedFor(up)
             : problem.nearest;
}

}  // namespace

absl::StatusOr<at::Tensor> AdaptivelyRounded(
    const RoundingProblem& problem, int64_t iterations,
    const std::function<void()>& after_step) {
  return CatchTorchErrors("rounding adaptively", [&] {
    return Round(problem, iterations, after_step);
  });
}

}  // namespace ns
