#include "passes/kernels/elementwise/activations.h"

#include <cmath>
#include <limits>

#include "gtest/gtest.h"

namespace ns::kernels {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

TEST(ActivationsTest, SigmoidRoundsInFloat) {
  EXPECT_EQ(Sigmoid(0.0f), 0.5f);
  EXPECT_EQ(Sigmoid(kInf), 1.0f);
  EXPECT_EQ(Sigmoid(-kInf), 0.0f);
  EXPECT_EQ(Sigmoid(-200.0f), 0.0f);
  for (float x = -10; x < 10; x += 0.37f) {
    EXPECT_EQ(Sigmoid(x), 1.0f / (1.0f + std::exp(-x)));
  }
}

TEST(ActivationsTest, TanhIsThatOfFloat) {
  EXPECT_EQ(Tanh(0.0f), 0.0f);
  EXPECT_EQ(Tanh(kInf), 1.0f);
  EXPECT_EQ(Tanh(-20.0f), -1.0f);
  EXPECT_FLOAT_EQ(Tanh(0.5f), 0.46211716f);
}

TEST(ActivationsTest, HardSigmoidIsStraightBetweenBends) {
  EXPECT_EQ(HardSigmoid(-3.5f), 0.0f);
  EXPECT_EQ(HardSigmoid(-3.0f), 0.0f);
  EXPECT_EQ(HardSigmoid(0.0f), 0.5f);
  EXPECT_EQ(HardSigmoid(1.5f), 0.75f);
  EXPECT_EQ(HardSigmoid(3.0f), 1.0f);
  EXPECT_EQ(HardSigmoid(100.0f), 1.0f);
}

TEST(ActivationsTest, HardSwishMultipliesBeforeItDivides) {
  EXPECT_EQ(HardSwish(-3.0f), 0.0f);
  EXPECT_EQ(HardSwish(5.0f), 5.0f);
  EXPECT_EQ(HardSwish(1.0f), 4.0f / 6.0f);
  int differences = 0;
  for (float x = -3; x < 3; x += 0.01f) {
    EXPECT_EQ(HardSwish(x), x * (x + 3.0f) / 6.0f);
    differences += HardSwish(x) != x * ((x + 3.0f) / 6.0f);
  }
  EXPECT_GT(differences, 0);
}

TEST(ActivationsTest, LeakyReluScalesWhatIsNotPositive) {
  EXPECT_EQ(LeakyRelu(2.0f, 0.1f), 2.0f);
  EXPECT_EQ(LeakyRelu(-2.0f, 0.1f), -2.0f * 0.1f);
  EXPECT_EQ(LeakyRelu(0.0f, 0.1f), 0.0f);
}

TEST(ActivationsTest, SmoothRelusAreThoseOfDouble) {
  for (float value = -9; value < 9; value += 0.37f) {
    const double x = value;
    const double softplus = std::log1p(std::exp(x));
    const double tanh_gelu =
        std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x));
    EXPECT_NEAR(Silu(value), x / (1 + std::exp(-x)), 1e-6);
    EXPECT_NEAR(Gelu(value), x * (1 + std::erf(x / std::sqrt(2.0))) / 2, 1e-6);
    EXPECT_NEAR(GeluTanh(value), x * (1 + tanh_gelu) / 2, 1e-6);
    EXPECT_NEAR(Mish(value), x * std::tanh(softplus), 1e-6);
    EXPECT_NEAR(Softplus(value, 1, 20), softplus, 1e-6);
    EXPECT_NEAR(Softplus(value, 2.5f, 20), std::log1p(std::exp(2.5 * x)) / 2.5,
                2e-6);
  }
  EXPECT_EQ(Softplus(2.0f, 3.0f, 5.0f), 2.0f);
}

TEST(ActivationsTest, EluBendsWhatIsNotPositive) {
  const EluParams params{0.5f, 3.0f, 2.0f};
  EXPECT_EQ(Elu(2.0f, params), 6.0f);
  EXPECT_EQ(Elu(0.0f, params), 0.0f);
  EXPECT_EQ(Elu(-1.0f, params), (std::exp(-2.0f) - 1.0f) * 0.5f * 3.0f);
  EXPECT_EQ(Elu(-kInf, params), -1.5f);
}

TEST(ActivationsTest, EluOfSmallValuesLosesDigitsAsLibTorchDoes) {
  // LibTorch 1.13 takes exp, not expm1.
  EXPECT_EQ(Elu(-1e-9f, {}), 0.0f);
}

}  // namespace
}  // namespace ns::kernels
