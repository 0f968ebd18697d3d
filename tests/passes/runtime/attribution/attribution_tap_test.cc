#include "passes/runtime/attribution/attribution_tap.h"

#include <ATen/ATen.h>

#include <limits>
#include <memory>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ns {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

class AttributionTapTest : public ::testing::Test {
 protected:
  void Begin(AttributionRun run) {
    *run_ = run;
    tap_.Begin();
  }

  // Runs the float model, which gives `of_float`, and the quantized one.
  void RunBoth(const at::Tensor& of_float, const at::Tensor& of_quantized) {
    Begin(AttributionRun::kFloat);
    EXPECT_TRUE(tap_.Forward(of_float).is_same(of_float));
    Begin(AttributionRun::kQuantized);
    tap_.See(of_quantized);
  }

  std::shared_ptr<AttributionRun> run_ = std::make_shared<AttributionRun>();
  AttributionTap tap_{run_};
};

TEST_F(AttributionTapTest, TheLocalErrorIsThatOnValuesOfTheQuantizedModel) {
  RunBoth(at::tensor({1.0F, 2.0F}), at::tensor({1.5F, 1.0F}));
  Begin(AttributionRun::kErrors);
  // On the inputs of the quantized model, the float layer gives this.
  const at::Tensor passed_on = tap_.Forward(at::tensor({1.25F, 1.0F}));
  EXPECT_TRUE(passed_on.equal(at::tensor({1.5F, 1.0F})));
  ASSERT_THAT(tap_.errors(), SizeIs(1));
  EXPECT_TRUE(tap_.errors()[0].equal(at::tensor({0.25F, 0.0F})));
}

TEST_F(AttributionTapTest, GradientsAreThoseHalfway) {
  RunBoth(at::tensor({1.0F}), at::tensor({3.0F}));
  Begin(AttributionRun::kErrors);
  tap_.Forward(at::tensor({2.5F}));
  Begin(AttributionRun::kGradients);
  const at::Tensor x = at::tensor({7.0F}).requires_grad_();
  const at::Tensor tapped = tap_.Forward(x * 2);
  EXPECT_EQ(tapped.item<float>(), 2);
  tapped.square().sum().backward();
  // 2 * 2 of the square, 2 of the product.
  EXPECT_EQ(x.grad().item<float>(), 8);
  ASSERT_THAT(tap_.tapped(), SizeIs(1));
}

TEST_F(AttributionTapTest, ValuesWithoutGradientsGetThem) {
  RunBoth(at::tensor({1.0F}), at::tensor({3.0F}));
  Begin(AttributionRun::kErrors);
  tap_.Forward(at::tensor({2.5F}));
  Begin(AttributionRun::kGradients);
  EXPECT_TRUE(tap_.Forward(at::tensor({1.0F})).requires_grad());
}

TEST_F(AttributionTapTest, QuantizedValuesAreDequantized) {
  RunBoth(at::tensor({1.0F}),
          at::quantize_per_tensor(at::tensor({1.1F}), 0.5, 0, at::kQUInt8));
  Begin(AttributionRun::kErrors);
  EXPECT_EQ(tap_.Forward(at::tensor({1.25F})).item<float>(), 1);
}

TEST_F(AttributionTapTest, CallsBelongTogetherByTheirOrder) {
  Begin(AttributionRun::kFloat);
  tap_.Forward(at::tensor({1.0F}));
  tap_.Forward(at::tensor({2.0F}));
  Begin(AttributionRun::kQuantized);
  tap_.See(at::tensor({1.5F}));
  tap_.See(at::tensor({2.25F}));
  Begin(AttributionRun::kErrors);
  tap_.Forward(at::tensor({1.0F}));
  tap_.Forward(at::tensor({2.0F}));
  ASSERT_THAT(tap_.errors(), SizeIs(2));
  EXPECT_EQ(tap_.errors()[0].item<float>(), 0.5F);
  EXPECT_EQ(tap_.errors()[1].item<float>(), 0.25F);
}

TEST_F(AttributionTapTest, ACallThatTheOtherModelDoesNotHaveHasNoError) {
  Begin(AttributionRun::kFloat);
  tap_.Forward(at::tensor({1.0F}));
  Begin(AttributionRun::kQuantized);
  Begin(AttributionRun::kErrors);
  EXPECT_EQ(tap_.Forward(at::tensor({4.0F})).item<float>(), 4);
  EXPECT_FALSE(tap_.errors()[0].defined());
  Begin(AttributionRun::kGradients);
  EXPECT_EQ(tap_.Forward(at::tensor({4.0F})).item<float>(), 4);
}

TEST_F(AttributionTapTest, AValueOfAnotherShapeHasNoError) {
  RunBoth(at::ones({2}), at::ones({3}));
  Begin(AttributionRun::kErrors);
  tap_.Forward(at::ones({2}));
  EXPECT_FALSE(tap_.errors()[0].defined());
}

TEST_F(AttributionTapTest, InfinitiesOfAMaskStay) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  RunBoth(at::tensor({1.0F, -kInfinity}), at::tensor({1.5F, -100.0F}));
  for (const AttributionRun run :
       {AttributionRun::kErrors, AttributionRun::kGradients}) {
    Begin(run);
    const at::Tensor value = tap_.Forward(at::tensor({1.0F, -kInfinity}));
    EXPECT_EQ(value[1].item<float>(), -kInfinity);
  }
  EXPECT_TRUE(tap_.errors()[0].equal(at::tensor({0.5F, 0.0F})));
}

TEST_F(AttributionTapTest, IntegersPass) {
  const at::Tensor ids = at::arange(3);
  for (const AttributionRun run :
       {AttributionRun::kFloat, AttributionRun::kErrors,
        AttributionRun::kGradients}) {
    Begin(run);
    EXPECT_TRUE(tap_.Forward(ids).is_same(ids));
  }
  EXPECT_THAT(tap_.tapped(), IsEmpty());
}

TEST_F(AttributionTapTest, ANewBatchForgetsTheLast) {
  RunBoth(at::ones({1}), at::zeros({1}));
  Begin(AttributionRun::kErrors);
  tap_.Forward(at::ones({1}));
  Begin(AttributionRun::kFloat);
  EXPECT_THAT(tap_.errors(), IsEmpty());
}

}  // namespace
}  // namespace ns
