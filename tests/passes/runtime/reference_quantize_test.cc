#include "passes/runtime/reference_quantize.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include "gtest/gtest.h"
#include "tests/testing/engines.h"

namespace ns {
namespace {

TEST(QuantizeLikeTest, TakesScaleZeroPointAndDtype) {
  const at::Tensor like =
      at::quantize_per_tensor(at::zeros({7}), 0.25, -3, at::kQInt8);
  const at::Tensor x = at::tensor({-100.0f, 0.3f, 0.5f});
  const at::Tensor q = QuantizeLike(x, like);
  EXPECT_TRUE(q.equal(at::quantize_per_tensor(x, 0.25, -3, at::kQInt8)));
}

TEST(QuantizeLikeTest, WidensToFloatFirst) {
  const at::Tensor like =
      at::quantize_per_tensor(at::zeros({1}), 0.25, 3, at::kQUInt8);
  const at::Tensor x = at::tensor({0.3, 0.5});
  ASSERT_EQ(x.scalar_type(), at::kDouble);
  EXPECT_TRUE(QuantizeLike(x, like).equal(
      at::quantize_per_tensor(x.to(at::kFloat), 0.25, 3, at::kQUInt8)));
}

// As of a shadow whose op is quantized in both models.
TEST(QuantizeLikeTest, RequantizesWhatIsQuantized) {
  const at::Tensor x = at::rand({8});
  const at::Tensor fine = at::quantize_per_tensor(x, 0.01, 3, at::kQUInt8);
  const at::Tensor like = at::quantize_per_tensor(x, 0.1, 7, at::kQUInt8);
  EXPECT_TRUE(QuantizeLike(fine, like)
                  .equal(at::quantize_per_tensor(fine.dequantize(), 0.1, 7,
                                                 at::kQUInt8)));
}

TEST(QuantizeLikeTest, HandsOnWhatNeedsNoQuantizing) {
  const at::Tensor x = at::rand({2, 2});
  EXPECT_TRUE(QuantizeLike(x, at::zeros({1})).is_same(x));
  const at::Tensor per_channel = at::quantize_per_channel(
      x, at::ones({2}, at::kDouble), at::zeros({2}, at::kLong), 0, at::kQInt8);
  EXPECT_TRUE(QuantizeLike(x, per_channel).is_same(x));
}

using QuantizeDynamicTest = EngineTest;

TEST_P(QuantizeDynamicTest, SpreadsTheRangeOverAllSteps) {
  const at::Tensor q = QuantizeDynamic(at::tensor({-1.0f, 0.0f, 3.0f}), false);
  EXPECT_EQ(q.scalar_type(), at::kQUInt8);
  EXPECT_TRUE(at::int_repr(q).equal(at::tensor({0, 64, 255}, at::kByte)));
}

TEST_P(QuantizeDynamicTest, ReducesTheRangeWhereTheEngineDoes) {
  const at::Tensor q = QuantizeDynamic(at::tensor({0.0f, 3.0f}), true);
  EXPECT_EQ(at::int_repr(q)[1].item<int>(),
            GetParam() == at::kQNNPACK ? 255 : 127);
}

TEST_P(QuantizeDynamicTest, HandsOnWhatIsEmpty) {
  const at::Tensor x = at::zeros({0, 4});
  EXPECT_TRUE(QuantizeDynamic(x, false).is_same(x));
}

NS_INSTANTIATE_ON_ENGINES(QuantizeDynamicTest);

}  // namespace
}  // namespace ns
