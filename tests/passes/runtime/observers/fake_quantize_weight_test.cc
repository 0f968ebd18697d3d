#include "passes/runtime/observers/fake_quantize_weight.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/dispatch/Dispatcher.h>

#include <limits>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "passes/runtime/observers/observer_config.h"

namespace ns {
namespace {

ObserverConfig Int8(ObserverKind kind = ObserverKind::kMinMax) {
  ObserverConfig config = DefaultConfig(kind);
  config.dtype = at::kQInt8;
  config.qscheme = IsPerChannel(config.qscheme) ? at::kPerChannelSymmetric
                                                : at::kPerTensorSymmetric;
  return config;
}

ObserverConfig Int4() {
  ObserverConfig config = Int8();
  config.quant_min = -8;
  config.quant_max = 7;
  return config;
}

const ObserverConfig kInt8 = Int8();
const ObserverConfig kInt8PerChannel = Int8(ObserverKind::kPerChannelMinMax);
const ObserverConfig kHalf = DefaultConfig(ObserverKind::kNoop);
const ObserverConfig kFloat = DefaultConfig(ObserverKind::kPlaceholder);

class FakeQuantizeWeightTest : public testing::Test {
 protected:
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
      FakeQuantizeWeight(at::linspace(-1, 1, 1000), Int4());
  std::set<float> values(quantized.data_ptr<float>(),
                         quantized.data_ptr<float>() + quantized.numel());
  // The least one needs a tie to be rounded its way.
  EXPECT_GE(values.size(), 15);
  EXPECT_LE(values.size(), 16);
}

TEST_F(FakeQuantizeWeightTest, HalfRounds) {
  EXPECT_TRUE(FakeQuantizeWeight(weight_, kHalf)
                  .equal(weight_.to(at::kHalf).to(at::kFloat)));
}

TEST_F(FakeQuantizeWeightTest, HalfHasNoInfinities) {
  EXPECT_TRUE(FakeQuantizeWeight(at::tensor({1e5F, -1e5F, 1.0F}), kHalf)
                  .equal(at::tensor({65504.0F, -65504.0F, 1.0F})));
}

TEST_F(FakeQuantizeWeightTest, HandsOnWhatIsNotToBeQuantized) {
  EXPECT_TRUE(FakeQuantizeWeight(weight_, kFloat).is_same(weight_));
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

TEST_F(FakeQuantizeWeightTest, AnyObserverFindsTheScale) {
  // One value is clipped where that loses least.
  const at::Tensor weight =
      at::cat({at::randn({1000000}), at::full({1}, 40.0)});
  ObserverConfig mse = Int8(ObserverKind::kMse);
  mse.clipping_weight = 1;
  const at::Tensor clipped = FakeQuantizeWeight(weight, mse);
  EXPECT_LT(clipped.max().item<float>(), 20);
  const at::Tensor whole = FakeQuantizeWeight(weight, kInt8);
  EXPECT_NEAR(whole.max().item<float>(), 40, 0.5);
}

TEST_F(FakeQuantizeWeightTest, RowsOfEmbeddingsHaveRealZeroPoints) {
  ObserverConfig config = DefaultConfig(ObserverKind::kPerChannelMinMax);
  config.qscheme = at::kPerChannelAffineFloatQParams;
  const at::Tensor rows = at::rand({3, 8}) + 5;
  EXPECT_TRUE(FakeQuantizeWeight(rows, config).allclose(rows, 0, 0.01));
}

TEST_F(FakeQuantizeWeightTest, NanAndInfDoNotCount) {
  at::Tensor weight = at::linspace(-1, 1, 9);
  weight[2] = std::numeric_limits<float>::quiet_NaN();
  weight[3] = std::numeric_limits<float>::infinity();
  const at::Tensor quantized = FakeQuantizeWeight(weight, kInt8);
  EXPECT_NEAR(quantized[8].item<float>(), 1, 0.01);
}

TEST_F(FakeQuantizeWeightTest, ObserversThatCannotBeHadThrow) {
  EXPECT_THROW(
      FakeQuantizeWeight(weight_, DefaultConfig(ObserverKind::kRecording)),
      c10::Error);
  EXPECT_THROW(
      FakeQuantizeWeight(weight_, DefaultConfig(ObserverKind::kScripted)),
      c10::Error);
}

class OperatorTest : public FakeQuantizeWeightTest {
 protected:
  static at::Tensor Call(const at::Tensor& weight,
                         const std::vector<std::string>& observer) {
    torch::jit::Stack stack = {weight, observer};
    c10::Dispatcher::singleton()
        .findSchemaOrThrow("ns::fake_quantize_weight", "")
        .callBoxed(stack);
    return stack.at(0).toTensor();
  }
};

TEST_F(OperatorTest, TakesWhatSaysWhichObserver) {
  EXPECT_EQ(ObserverArgument(Int4()),
            (std::vector<std::string>{"dtype=qint8", "kind=minmax",
                                      "qscheme=per_tensor_symmetric",
                                      "quant_max=7", "quant_min=-8"}));
  for (const ObserverConfig& config :
       {kInt8, kInt8PerChannel, Int4(), kHalf, kFloat}) {
    EXPECT_TRUE(Call(weight_, ObserverArgument(config))
                    .equal(FakeQuantizeWeight(weight_, config)));
  }
  ObserverConfig named = kFloat;
  named.custom_op_name = "a=b";
  EXPECT_TRUE(Call(weight_, ObserverArgument(named)).equal(weight_));
}

TEST_F(OperatorTest, RefusesOtherText) {
  EXPECT_THROW(Call(weight_, {"minmax"}), c10::Error);
  EXPECT_THROW(Call(weight_, {"kind=best"}), c10::Error);
}

}  // namespace
}  // namespace ns
