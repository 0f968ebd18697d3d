#include "passes/runtime/observers/fake_quantize_weight.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <set>
#include <vector>

#include "gtest/gtest.h"

namespace ns {
namespace {

constexpr WeightConfig kInt8 = {WeightDtype::kInt8, false};
constexpr WeightConfig kInt8PerChannel = {WeightDtype::kInt8, true};
constexpr WeightConfig kInt4 = {WeightDtype::kInt4, false};

class FakeQuantizeWeightTest : public testing::Test {
 protected:
  FakeQuantizeWeightTest() { at::manual_seed(1); }

  // Rows of very different size.
  const at::Tensor weight_ =
      at::randn({4, 3, 2}) *
      at::tensor({1.0F, 0.1F, 0.01F, 5.0F}).reshape({4, 1, 1});
};

TEST_F(FakeQuantizeWeightTest, PerTensorIsWhatQuantizingGives) {
  const double scale = weight_.abs().max().item<float>() / 127.5F;
  EXPECT_TRUE(FakeQuantizeWeight(weight_, kInt8)
                  .equal(at::quantize_per_tensor(weight_, scale, 0, at::kQInt8)
                             .dequantize()));
}

TEST_F(FakeQuantizeWeightTest, PerChannelIsPerTensorOfEachRow) {
  const at::Tensor quantized = FakeQuantizeWeight(weight_, kInt8PerChannel);
  for (int64_t i = 0; i < 4; ++i) {
    EXPECT_TRUE(quantized[i].equal(FakeQuantizeWeight(weight_[i], kInt8)));
  }
}

TEST_F(FakeQuantizeWeightTest, Int4HasAtMostSixteenValues) {
  const at::Tensor quantized =
      FakeQuantizeWeight(at::linspace(-1, 1, 1000), kInt4);
  std::set<float> values(quantized.data_ptr<float>(),
                         quantized.data_ptr<float>() + quantized.numel());
  // The least one needs a tie to be rounded its way.
  EXPECT_GE(values.size(), 15);
  EXPECT_LE(values.size(), 16);
}

TEST_F(FakeQuantizeWeightTest, HalfRounds) {
  EXPECT_TRUE(FakeQuantizeWeight(weight_, {WeightDtype::kHalf, false})
                  .equal(weight_.to(at::kHalf).to(at::kFloat)));
}

TEST_F(FakeQuantizeWeightTest, HandsOnWhatIsNotToBeQuantized) {
  EXPECT_TRUE(FakeQuantizeWeight(weight_, {}).is_same(weight_));
  const at::Tensor indices = at::arange(3);
  EXPECT_TRUE(FakeQuantizeWeight(indices, kInt8).is_same(indices));
  EXPECT_EQ(FakeQuantizeWeight(at::empty({0, 3}), kInt8PerChannel).numel(), 0);
}

TEST_F(FakeQuantizeWeightTest, KeepsDtypeAndTakesAnyStrides) {
  EXPECT_EQ(FakeQuantizeWeight(weight_.to(at::kDouble), kInt8).scalar_type(),
            at::kDouble);
  const at::Tensor turned = weight_.transpose(0, 2);
  EXPECT_TRUE(
      FakeQuantizeWeight(turned, kInt8PerChannel)
          .equal(FakeQuantizeWeight(turned.contiguous(), kInt8PerChannel)));
}

TEST_F(FakeQuantizeWeightTest, ListsKeepTheirBiases) {
  const at::Tensor bias = at::randn({4});
  const std::vector<at::Tensor> quantized =
      FakeQuantizeWeights({weight_, bias}, kInt8);
  EXPECT_TRUE(quantized[0].equal(FakeQuantizeWeight(weight_, kInt8)));
  EXPECT_TRUE(quantized[1].is_same(bias));
}

}  // namespace
}  // namespace ns
