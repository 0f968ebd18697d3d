#include "passes/quantization/rescale/smoothing_gain.h"

#include <ATen/ATen.h>

#include <cmath>

#include "gtest/gtest.h"
#include "passes/quantization/qconfig/qconfig.h"
#include "tests/passes/quantization/rescale/scaled_nets.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

at::Tensor Doubles(std::initializer_list<double> values) {
  return at::tensor(std::vector<double>(values), at::kDouble);
}

TEST(SmoothingFactorsTest, AreThoseOfTheFormula) {
  const at::Tensor largest = Doubles({16, 1});
  const at::Tensor ranges = Doubles({1, 81});
  EXPECT_TRUE(
      SmoothingFactors(largest, ranges, 0.5).allclose(Doubles({4, 1.0 / 9})));
  EXPECT_TRUE(
      SmoothingFactors(largest, ranges, 0.25).allclose(Doubles({2, 1.0 / 27})));
  EXPECT_TRUE(SmoothingFactors(largest, ranges, 1).allclose(largest));
}

TEST(SmoothingFactorsTest, ChannelsOfNothingGetTheMeanOfOthers) {
  EXPECT_TRUE(
      SmoothingFactors(Doubles({16, 1, 0, 5}), Doubles({1, 1, 1, 0}), 0.5)
          .allclose(Doubles({4, 1, 2, 2})));
  EXPECT_TRUE(SmoothingFactors(Doubles({0, 0}), Doubles({1, 1}), 0.5)
                  .equal(Doubles({1, 1})));
}

SampledLinear Layer(const QConfig& qconfig) {
  return {Normal({256, 32}, 1), Normal({16, 32}, 2), Normal({16}, 3), qconfig};
}

// Quantizing values of a normal distribution to 8 bits.
TEST(SqnrOfSmoothedTest, IsThatOfQuantization) {
  const at::Tensor ones = at::ones({32}, at::kDouble);
  const double both =
      OrThrow(SqnrOfSmoothed({Layer(Int8PerTensorQConfig())}, ones));
  EXPECT_GT(both, 30);
  EXPECT_LT(both, 45);
  // One scale for each channel of the weight loses less; floats lose nothing.
  const double per_channel =
      OrThrow(SqnrOfSmoothed({Layer(Int8PerChannelQConfig())}, ones));
  EXPECT_GT(per_channel, both);
  const double dynamic =
      OrThrow(SqnrOfSmoothed({Layer(DynamicQConfig())}, ones));
  EXPECT_NEAR(dynamic, both, 0.5);
  EXPECT_EQ(OrThrow(SqnrOfSmoothed({Layer(QConfig())}, ones)), INFINITY);
  // The mean of the noise of two, one of which has none.
  EXPECT_NEAR(OrThrow(SqnrOfSmoothed(
                  {Layer(Int8PerTensorQConfig()), Layer(QConfig())}, ones)),
              both + 10 * std::log10(2.0), 1e-6);
}

// In powers of two, factors change no bit of what is not quantized.
TEST(SqnrOfSmoothedTest, FactorsChangeWhatIsQuantizedAlone) {
  const at::Tensor factors = at::exp2(at::arange(32) % 5).to(at::kDouble);
  EXPECT_EQ(OrThrow(SqnrOfSmoothed({Layer(QConfig())}, factors)), INFINITY);
  EXPECT_LT(OrThrow(SqnrOfSmoothed({Layer(Int8PerTensorQConfig())}, factors)),
            OrThrow(SqnrOfSmoothed({Layer(Int8PerTensorQConfig())},
                                   at::ones({32}, at::kDouble))));
}

TEST(SqnrOfSmoothedTest, RowsThatDoNotFitAreAnError) {
  SampledLinear layer = Layer(Int8PerTensorQConfig());
  layer.rows = at::ones({2, 31});
  EXPECT_FALSE(SqnrOfSmoothed({layer}, at::ones({32}, at::kDouble)).ok());
}

TEST(QuantizesInputOrWeightTest, FollowsTheQConfig) {
  EXPECT_TRUE(QuantizesInputOrWeight(Int8PerTensorQConfig()));
  EXPECT_TRUE(QuantizesInputOrWeight(DynamicQConfig()));
  EXPECT_TRUE(QuantizesInputOrWeight(Int4WeightsQConfig()));
  EXPECT_FALSE(QuantizesInputOrWeight(Fp16QConfig()));
  EXPECT_FALSE(QuantizesInputOrWeight(QConfig()));
}

}  // namespace
}  // namespace ns
