#include "ns/quantization/accurate/adaptive_rounding.h"

#include <ATen/ATen.h>

#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::HasSubstr;

class AdaptiveRoundingTest : public ::testing::Test {
 protected:
  AdaptiveRoundingTest() { at::manual_seed(9); }

  // A linear layer of 32 inputs, which are alike, with weights of 4 bits.
  static RoundingProblem Correlated() {
    RoundingProblem problem;
    problem.layer = [](const at::Tensor& x, const at::Tensor& weight) {
      return at::linear(x, weight);
    };
    problem.weight = at::randn({8, 32});
    problem.nearest = at::quantize_per_channel(
        problem.weight, problem.weight.abs().amax(1).div(7),
        at::zeros({8}, at::kLong), 0, at::kQInt8);
    problem.quant_min = -8;
    problem.quant_max = 7;
    problem.inputs = at::randn({512, 1}) + at::randn({512, 32}) * 0.3;
    problem.rounded_inputs = problem.inputs;
    problem.samples_in_step = 256;
    return problem;
  }

  // Of the layer with `quantized` on `rounded`, against that in float on `x`.
  static double ErrorDb(const RoundingProblem& problem,
                        const at::Tensor& quantized, const at::Tensor& x,
                        const at::Tensor& rounded) {
    const at::Tensor y = problem.layer(x, problem.weight);
    const at::Tensor lost = y - problem.layer(rounded, quantized.dequantize());
    return 20 * std::log10((lost.norm() / y.norm()).item<double>());
  }
};

TEST_F(AdaptiveRoundingTest, LosesLessOnOtherInputs) {
  const RoundingProblem problem = Correlated();
  int steps = 0;
  const at::Tensor rounded =
      OrThrow(AdaptivelyRounded(problem, 600, [&] { ++steps; }));
  EXPECT_EQ(steps, 600);
  const at::Tensor others = at::randn({512, 1}) + at::randn({512, 32}) * 0.3;
  EXPECT_LT(ErrorDb(problem, rounded, others, others),
            ErrorDb(problem, problem.nearest, others, others) - 3);
}

TEST_F(AdaptiveRoundingTest, EachWeightIsOneOfItsNeighbours) {
  const RoundingProblem problem = Correlated();
  const at::Tensor rounded = OrThrow(AdaptivelyRounded(problem, 200));
  EXPECT_TRUE(rounded.q_per_channel_scales().equal(
      problem.nearest.q_per_channel_scales()));
  const at::Tensor steps =
      problem.weight / rounded.q_per_channel_scales().view({8, 1});
  const at::Tensor integers = rounded.int_repr().to(at::kFloat);
  EXPECT_LT((integers - steps).abs().max().item<float>(), 1.001);
  EXPECT_GE(integers.min().item<float>(), -8);
  EXPECT_LE(integers.max().item<float>(), 7);
  EXPECT_FALSE(rounded.int_repr().equal(problem.nearest.int_repr()));
}

TEST_F(AdaptiveRoundingTest, WeightsThatLoseNothingStay) {
  RoundingProblem problem = Correlated();
  problem.weight = problem.nearest.dequantize();
  const at::Tensor rounded = OrThrow(AdaptivelyRounded(problem, 20));
  EXPECT_TRUE(rounded.is_same(problem.nearest));
}

// One scale, a zero point, and rounded inputs, which the weights make up for.
TEST_F(AdaptiveRoundingTest, TakesOneScaleForAll) {
  RoundingProblem problem = Correlated();
  problem.nearest = at::quantize_per_tensor(problem.weight, 0.5, 1, at::kQInt8);
  problem.rounded_inputs =
      at::fake_quantize_per_tensor_affine(problem.inputs, 0.5, 8, 0, 15);
  const at::Tensor rounded = OrThrow(AdaptivelyRounded(problem, 400));
  EXPECT_EQ(rounded.q_zero_point(), 1);
  EXPECT_LT(ErrorDb(problem, rounded, problem.inputs, problem.rounded_inputs),
            ErrorDb(problem, problem.nearest, problem.inputs,
                    problem.rounded_inputs) -
                1);
}

TEST_F(AdaptiveRoundingTest, ALayerThatCannotRunIsAnError) {
  RoundingProblem problem = Correlated();
  problem.inputs = problem.rounded_inputs = at::ones({4, 3});
  EXPECT_THAT(AdaptivelyRounded(problem, 5).status().message(),
              HasSubstr("rounding adaptively: "));
}

}  // namespace
}  // namespace ns
