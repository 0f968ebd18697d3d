#include "passes/runtime/noise/noise_taps.h"

#include <ATen/ATen.h>

#include <cmath>
#include <memory>
#include <vector>

#include "gtest/gtest.h"

namespace ns {
namespace {

RoundingEvent Rounding(int event, double scale) {
  RoundingEvent rounding;
  rounding.event = event;
  rounding.qparams = {at::full({1}, scale, at::kFloat),
                      at::zeros({1}, at::kInt)};
  return rounding;
}

at::Tensor Row(const std::vector<float>& values) {
  return at::tensor(values).unsqueeze(0);
}

class NoiseTapsTest : public ::testing::Test {
 protected:
  void BeginRun(NoiseRun run, NoiseTap& tap) {
    record_->run = run;
    tap.Begin();
  }

  // Differentiates the sum of each of `ys`, one row for all.
  void Differentiate(const std::vector<at::Tensor>& ys) {
    record_->rows.Begin(0, 1);
    for (const at::Tensor& y : ys) {
      y.sum().backward();
    }
    record_->rows.End();
  }

  double PowerOf(const std::vector<int>& events) const {
    return record_->rows.PowerOf(0, events);
  }

  std::shared_ptr<NoiseRecord> record_ = std::make_shared<NoiseRecord>(4);
};

// Of one candidate, both kinds of events: 0 and 1.
std::vector<RoundingEvent> BothKinds() {
  return {Rounding(0, 1), Rounding(1, 1)};
}

// A layer that computes 0.6 and 2.3 in float, and 0.9 and 2.3 with its rounded
// weight, which become 1 and 2: the errors are 0.4 and -0.3.
TEST_F(NoiseTapsTest, ALayersErrorMeetsTheGradientsOfBothRuns) {
  LayerNoiseTap tap(record_, BothKinds());
  tap.SetRounds(true);
  const at::Tensor y = Row({0.6, 2.3});
  BeginRun(NoiseRun::kNoisy, tap);
  const at::Tensor noisy = tap.Forward(y, {Row({0.9, 2.3})});
  EXPECT_TRUE(at::allclose(noisy, Row({1, 2})));
  BeginRun(NoiseRun::kClean, tap);
  const at::Tensor clean = tap.Forward(y, {Row({1.7, 2.3})});
  EXPECT_TRUE(at::equal(clean, y));
  // The gradients of y^2 are 2 y: 2 and 4, and 1.2 and 4.6.
  Differentiate({noisy * noisy, clean * clean});
  EXPECT_NEAR(PowerOf({0}), std::pow(3.2 * 0.4 - 8.6 * 0.3, 2), 1e-4);
  // With rounded inputs it computes 1.7 and 2.3.
  EXPECT_NEAR(PowerOf({1}), std::pow(3.2 * 1.4 - 8.6 * 0.3, 2), 1e-4);
}

TEST_F(NoiseTapsTest, OnlyTheFirstEventHappensInANoisyRun) {
  LayerNoiseTap tap(record_, {Rounding(0, 1), Rounding(1, 0.5), Rounding(2, 1),
                              Rounding(3, 0.5)});
  const at::Tensor y = Row({0.6});
  BeginRun(NoiseRun::kNoisy, tap);
  EXPECT_TRUE(at::equal(tap.Forward(y, {y, y}), y));
  tap.SetRounds(true);
  EXPECT_TRUE(at::allclose(tap.Forward(y, {y, y}), Row({1})));
}

TEST_F(NoiseTapsTest, EachCallHasItsErrors) {
  LayerNoiseTap tap(record_, BothKinds());
  BeginRun(NoiseRun::kNoisy, tap);
  tap.Forward(Row({0.6}), {Row({0.6})});
  tap.Forward(Row({2.3}), {Row({2.3})});
  BeginRun(NoiseRun::kClean, tap);
  const at::Tensor first = tap.Forward(Row({0.6}), {Row({0.6})});
  const at::Tensor second = tap.Forward(Row({2.3}), {Row({2.3})});
  // A call that the noisy run did not have.
  const at::Tensor third = tap.Forward(Row({0.7}), {Row({0.7})});
  Differentiate({first * 5 + second * 7 + third});
  EXPECT_NEAR(PowerOf({0}), std::pow(5 * 0.4 - 7 * 0.3, 2), 1e-4);
  EXPECT_NEAR(PowerOf({1}), std::pow(5 * 0.4 - 7 * 0.3 + 0.3, 2), 1e-4);
}

// The second use of the value does not count.
TEST_F(NoiseTapsTest, AnEdgeHasTheGradientOfItsUserAlone) {
  EdgeNoiseTap edge(record_, {Rounding(0, 1), Rounding(1, 0.5)});
  BeginRun(NoiseRun::kNoisy, edge);
  EXPECT_TRUE(at::equal(edge.Forward(Row({0.6})), Row({0.6})));
  BeginRun(NoiseRun::kClean, edge);
  const at::Tensor x = Row({0.6}).requires_grad_();
  Differentiate({edge.Forward(x) * 2 + x * 3});
  EXPECT_NEAR(PowerOf({0}), std::pow(2 * 0.4, 2), 1e-4);
  EXPECT_NEAR(PowerOf({1}), std::pow(2 * -0.1, 2), 1e-4);
}

TEST_F(NoiseTapsTest, AnEdgeIsRoundedInANoisyRunIfAsked) {
  EdgeNoiseTap edge(record_, {Rounding(0, 1)});
  edge.SetRounds(true);
  BeginRun(NoiseRun::kNoisy, edge);
  EXPECT_TRUE(at::allclose(edge.Forward(Row({0.6})), Row({1})));
}

TEST_F(NoiseTapsTest, ClippedValuesHaveTheWholeError) {
  EdgeNoiseTap edge(record_, {Rounding(0, 1)});
  BeginRun(NoiseRun::kClean, edge);
  Differentiate({edge.Forward(Row({300}))});
  EXPECT_NEAR(PowerOf({0}), 45 * 45, 1e-2);
}

// As those of a mask in front of a softmax.
TEST_F(NoiseTapsTest, InfiniteValuesStayWhatTheyAre) {
  const at::Tensor x = Row({-INFINITY, 0.6});
  EdgeNoiseTap edge(record_, {Rounding(0, 1)});
  edge.SetRounds(true);
  BeginRun(NoiseRun::kNoisy, edge);
  EXPECT_TRUE(at::equal(edge.Forward(x), Row({-INFINITY, 1})));
  LayerNoiseTap layer(record_, BothKinds());
  layer.SetRounds(true);
  BeginRun(NoiseRun::kNoisy, layer);
  EXPECT_TRUE(at::equal(layer.Forward(x, {x}), Row({-INFINITY, 1})));
}

TEST_F(NoiseTapsTest, IntegersPassAsTheyAre) {
  EdgeNoiseTap edge(record_, {Rounding(0, 1)});
  LayerNoiseTap layer(record_, BothKinds());
  const at::Tensor x = at::ones({2}, at::kLong);
  EXPECT_TRUE(edge.Forward(x).is_same(x));
  EXPECT_TRUE(layer.Forward(x, {x}).is_same(x));
}

TEST_F(NoiseTapsTest, InputsAreRoundedInACleanRun) {
  RoundedInput input(record_, Rounding(0, 1));
  record_->run = NoiseRun::kNoisy;
  EXPECT_TRUE(at::equal(input.Forward(Row({0.6})), Row({0.6})));
  record_->run = NoiseRun::kClean;
  EXPECT_TRUE(at::equal(input.Forward(Row({0.6})), Row({1})));
  const at::Tensor integers = at::ones({2}, at::kLong);
  EXPECT_TRUE(at::equal(input.Forward(integers), integers));
}

}  // namespace
}  // namespace ns
