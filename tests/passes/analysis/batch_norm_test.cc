#include "passes/analysis/batch_norm.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <string>

#include "gtest/gtest.h"
#include "ir/base/refusal.h"
#include "tests/testing/ir.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

ModelGraph NormModel() {
  return OrThrow(ModelGraph::FromModule(
      MakeModel({{"bn", BatchNorm2d(3)}}, {"return self.bn.forward(x)"})));
}

TEST(BatchNormTest, HasTheConstantsOfTheCall) {
  const ModelGraph model = NormModel();
  const BatchNorm norm =
      OrThrow(BatchNormOf(*NodeOf(model.graph(), "aten::batch_norm")));
  const at::Tensor x = at::randn({2, 3, 4, 4});
  ModelGraph copy = OrThrow(model.Clone());
  const at::Tensor y = OrThrow(copy.Run({x})).toTensor();
  EXPECT_TRUE(at::batch_norm(x, norm.weight, norm.bias, norm.mean,
                             norm.variance, /*training=*/false, /*momentum=*/0,
                             norm.eps, /*cudnn_enabled=*/false)
                  .equal(y));
}

// Why BatchNormOf refuses a norm with these last arguments.
std::string WhyNot(const std::string& arguments) {
  const auto graph = GraphOf(R"IR(
graph(%x : Tensor, %t : Tensor, %f : float):
  %no : bool = prim::Constant[value=0]()
  %yes : bool = prim::Constant[value=1]()
  %eps : float = prim::Constant[value=0.5]()
  %none : NoneType = prim::Constant()
  %y : Tensor = aten::batch_norm(%x, )IR" +
                             arguments + R"IR()
  return (%y))IR");
  const auto norm = BatchNormOf(*NodeOf(*graph, "aten::batch_norm"));
  EXPECT_TRUE(IsRefusal(norm.status()));
  return MessageOf(norm);
}

TEST(BatchNormTest, RefusesWhatOnlyARunTells) {
  EXPECT_EQ(WhyNot("%none, %none, %t, %t, %yes, %eps, %eps, %no"),
            "it computes its statistics itself, as in training");
  EXPECT_EQ(WhyNot("%none, %none, %none, %none, %no, %eps, %f, %no"),
            "its eps is not constant");
  EXPECT_EQ(WhyNot("%none, %none, %t, %none, %no, %eps, %eps, %no"),
            "its running mean is not constant");
  EXPECT_EQ(WhyNot("%none, %none, %none, %t, %no, %eps, %eps, %no"),
            "its running variance is not constant");
  EXPECT_EQ(WhyNot("%t, %none, %none, %none, %no, %eps, %eps, %no"),
            "its weight is not constant");
  EXPECT_EQ(WhyNot("%none, %t, %none, %none, %no, %eps, %eps, %no"),
            "its bias is not constant");
  EXPECT_EQ(WhyNot("%none, %none, %none, %none, %no, %eps, %eps, %no"),
            "it has no running statistics");
}

TEST(BatchNormScaleTest, IsTheFactorOfEachChannelInTheTypeOfTheVariance) {
  const at::Tensor variance = at::tensor({3.0F, 15.0F});
  const at::Tensor gamma = at::tensor({2.0F, -8.0F});
  EXPECT_TRUE(OrThrow(BatchNormScale(variance, 1.0, gamma))
                  .equal(at::tensor({1.0F, -2.0F})));
  EXPECT_TRUE(OrThrow(BatchNormScale(variance.to(at::kDouble), 1.0, {}))
                  .equal(at::tensor({0.5, 0.25}, at::kDouble)));
}

TEST(BatchNormScaleTest, OtherNumbersOfChannelsAreAnError) {
  EXPECT_FALSE(BatchNormScale(at::ones({2}), 1.0, at::ones({3})).ok());
  // Nor is one number taken for all.
  EXPECT_FALSE(BatchNormScale(at::ones({2}), 1.0, at::ones({1})).ok());
  EXPECT_FALSE(BatchNormScale(at::ones({1}), 1.0, at::ones({2})).ok());
}

TEST(BatchNormBiasTest, IsTheNormOfTheBiasInItsType) {
  BatchNorm norm;
  norm.mean = at::tensor({1.0F, 2.0F});
  norm.variance = at::tensor({3.0F, 15.0F});
  norm.eps = 1;
  const at::Tensor bias = at::tensor({3.0F, -2.0F});
  EXPECT_TRUE(OrThrow(BatchNormBias(bias, norm, NormedLayer::kConv))
                  .equal(at::tensor({1.0F, -1.0F})));
  norm.weight = at::tensor({2.0F, 4.0F});
  norm.bias = at::tensor({0.5F, 0.25F});
  EXPECT_TRUE(OrThrow(BatchNormBias(bias, norm, NormedLayer::kConv))
                  .equal(at::tensor({2.5F, -3.75F})));
}

TEST(BatchNormBiasTest, OtherNumbersOfChannelsAreAnError) {
  BatchNorm norm;
  norm.mean = at::ones({2});
  norm.variance = at::ones({2});
  const auto is_ok = [&] {
    return BatchNormBias(at::ones({2}), norm, NormedLayer::kConv).ok();
  };
  EXPECT_FALSE(BatchNormBias(at::ones({3}), norm, NormedLayer::kConv).ok());
  EXPECT_TRUE(is_ok());
  for (at::Tensor BatchNorm::*argument :
       {&BatchNorm::variance, &BatchNorm::weight, &BatchNorm::bias}) {
    const at::Tensor before = norm.*argument;
    norm.*argument = at::ones({1});
    EXPECT_FALSE(is_ok());
    norm.*argument = before;
  }
}

}  // namespace
}  // namespace ns
