#include "passes/runtime/float_conv.h"

#include <ATen/Context.h>
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/serialization/import.h>

#include <cmath>
#include <random>
#include <sstream>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace ns {
namespace {

using Ints = std::vector<int64_t>;

FloatConvParameters RandomParameters(int64_t out, int64_t in, int64_t height,
                                     int64_t width, int64_t groups = 1) {
  FloatConvParameters parameters;
  parameters.weight = at::randn({out, in / groups, height, width});
  parameters.scale = at::rand({out}, at::kDouble) + 0.5;
  parameters.bias = at::randn({out});
  parameters.stride = {1, 1};
  parameters.padding = {0, 0};
  parameters.dilation = {1, 1};
  parameters.groups = groups;
  return parameters;
}

at::Tensor ScaledWeight(const FloatConvParameters& p) {
  return p.weight.to(at::kDouble) * p.scale.reshape({-1, 1, 1, 1});
}

// In float64.
at::Tensor Reference(const FloatConvParameters& p, const at::Tensor& x) {
  return at::conv2d(x.to(at::kDouble).contiguous(), ScaledWeight(p),
                    p.bias.to(at::kDouble), p.stride, p.padding, p.dilation,
                    p.groups);
}

void ExpectNear(const at::Tensor& actual, const at::Tensor& expected) {
  ASSERT_EQ(actual.sizes(), expected.sizes());
  ASSERT_EQ(actual.scalar_type(), at::kFloat);
  const double norm = expected.norm().item<double>();
  const double error =
      (actual.to(at::kDouble) - expected).norm().item<double>();
  EXPECT_LE(error, 1e-4 * norm + 1e-12);
}

void ExpectRight(FloatConv& conv, const at::Tensor& x) {
  const at::Tensor before = x.clone();
  ExpectNear(conv.Forward(x), Reference(conv.parameters(), x));
  EXPECT_TRUE(x.equal(before));
}

TEST(FloatConvTest, IsConvolutionWithScaleAndBias) {
  FloatConv conv(RandomParameters(8, 3, 3, 3));
  ExpectRight(conv, at::randn({2, 3, 9, 9}));
}

TEST(FloatConvTest, AgreesOnRandomShapes) {
  std::mt19937 random(7);
  const auto pick = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  for (int i = 0; i < 150; ++i) {
    const int64_t groups = pick(1, 4);
    const int64_t in = groups * pick(1, 9);
    const int64_t out = groups * pick(1, 9);
    FloatConvParameters p =
        RandomParameters(out, in, pick(1, 5), pick(1, 5), groups);
    p.stride = {pick(1, 3), pick(1, 3)};
    p.padding = {pick(0, 3), pick(0, 3)};
    p.dilation = {pick(1, 3), pick(1, 3)};
    const at::Tensor x =
        at::randn({pick(1, 3), in, pick(13, 20), pick(13, 20)});
    SCOPED_TRACE(absl::StrCat("case ", i));
    FloatConv conv(p);
    ExpectRight(conv, x);
    ExpectRight(conv, x.contiguous(at::MemoryFormat::ChannelsLast));
  }
}

TEST(FloatConvTest, Depthwise) {
  for (const int64_t channels : {1, 8, 17, 32}) {
    for (const int64_t multiplier : {1, 2}) {
      FloatConvParameters p =
          RandomParameters(channels * multiplier, channels, 3, 3, channels);
      p.padding = {1, 1};
      p.stride = {2, 1};
      FloatConv conv(p);
      ExpectRight(conv, at::randn({2, channels, 10, 7}));
    }
  }
}

TEST(FloatConvTest, LaysOutItsOutputWithChannelsLast) {
  FloatConv conv(RandomParameters(6, 3, 3, 3));
  const at::Tensor x = at::randn({2, 3, 9, 9});
  for (const at::Tensor& input :
       {x, x.contiguous(at::MemoryFormat::ChannelsLast)}) {
    EXPECT_TRUE(
        conv.Forward(input).is_contiguous(at::MemoryFormat::ChannelsLast));
  }
}

TEST(FloatConvTest, TakesAnyStrides) {
  FloatConv conv(RandomParameters(6, 4, 3, 3));
  const at::Tensor large = at::randn({4, 8, 20, 20});
  ExpectRight(conv, large.slice(1, 2, 6));
  ExpectRight(conv, large.slice(1, 0, 8, 2).slice(2, 1, 19, 2));
  ExpectRight(conv, large.slice(1, 0, 4).transpose(2, 3));
  ExpectRight(conv, large.contiguous(at::MemoryFormat::ChannelsLast)
                        .slice(1, 4, 8)
                        .slice(0, 1, 3));
  ExpectRight(conv, at::randn({1, 4, 1, 1}).expand({2, 4, 5, 6}));
  ExpectRight(conv, at::randn({9, 9, 4, 2}).permute({3, 2, 0, 1}));
}

TEST(FloatConvTest, InputSizesMayChangeFromCallToCall) {
  FloatConvParameters p = RandomParameters(8, 4, 3, 3);
  p.padding = {1, 1};
  FloatConv conv(p);
  for (const Ints& sizes : {Ints{1, 4, 8, 8},
                            {3, 4, 8, 8},
                            {3, 4, 8, 11},
                            {1, 4, 8, 8},
                            {2, 4, 1, 1},
                            {4, 8, 8},
                            {1, 4, 8, 8},
                            {1, 4, 30, 5}}) {
    SCOPED_TRACE(at::IntArrayRef(sizes));
    ExpectRight(conv, at::randn(sizes));
  }
}

TEST(FloatConvTest, EmptyBatchGivesEmptyOutput) {
  FloatConvParameters p = RandomParameters(8, 4, 3, 3);
  FloatConv conv(p);
  EXPECT_EQ(conv.Forward(at::randn({0, 4, 8, 9})).sizes(),
            at::IntArrayRef({0, 8, 6, 7}));
}

TEST(FloatConvTest, TakesOneSampleWithoutBatch) {
  FloatConv conv(RandomParameters(8, 4, 3, 2));
  ExpectRight(conv, at::randn({4, 8, 9}));
}

TEST(FloatConvTest, DoesWithoutOneDnn) {
  const bool before = at::globalContext().userEnabledMkldnn();
  at::globalContext().setUserEnabledMkldnn(false);
  FloatConvParameters p = RandomParameters(8, 4, 3, 3, 2);
  FloatConv conv(p);
  ExpectRight(conv, at::randn({2, 4, 8, 9}));
  at::globalContext().setUserEnabledMkldnn(before);
  ExpectRight(conv, at::randn({2, 4, 8, 9}));
}

TEST(FloatConvTest, PropagatesNanAndInf) {
  FloatConvParameters p = RandomParameters(4, 4, 1, 1);
  FloatConv conv(p);
  at::Tensor x = at::randn({1, 4, 3, 3});
  x[0][1][2][2] = NAN;
  const at::Tensor y = conv.Forward(x);
  EXPECT_EQ(y.isnan().sum().item<int64_t>(), 4);
  EXPECT_TRUE(y.select(2, 2).select(2, 2).isnan().all().item<bool>());
}

// at::conv2d throws, and so does the fused convolution, whatever it keeps of
// calls before.
void ExpectThrows(const FloatConvParameters& p, const at::Tensor& x) {
  SCOPED_TRACE(testing::Message() << x.sizes() << " " << x.dtype());
  EXPECT_THROW(at::conv2d(x, p.weight, p.bias, p.stride, p.padding, p.dilation,
                          p.groups),
               c10::Error);
  FloatConv conv(p);
  EXPECT_THROW(conv.Forward(x), c10::Error);
  EXPECT_THROW(conv.Forward(x), c10::Error);
  const at::Tensor fit = at::randn({1, p.weight.size(1) * p.groups, 8, 8});
  ExpectRight(conv, fit);
  EXPECT_THROW(conv.Forward(x), c10::Error);
  EXPECT_THROW(conv.Forward(x), c10::Error);
  ExpectRight(conv, fit);
}

TEST(FloatConvTest, ThrowsForOtherRanks) {
  const FloatConvParameters p = RandomParameters(8, 4, 3, 3);
  ExpectThrows(p, at::randn({4}));
  ExpectThrows(p, at::randn({4, 8}));
  ExpectThrows(p, at::randn({1, 2, 4, 8, 8}));
}

TEST(FloatConvTest, ThrowsForOtherDtypes) {
  const FloatConvParameters p = RandomParameters(8, 4, 3, 3);
  ExpectThrows(p, at::randn({2, 4, 8, 8}).to(at::kDouble));
  ExpectThrows(p, at::randn({2, 4, 8, 8}).to(at::kBFloat16));
  ExpectThrows(p, at::ones({2, 4, 8, 8}, at::kLong));
}

TEST(FloatConvTest, ThrowsForOtherNumbersOfChannels) {
  for (const int64_t groups : {1, 2}) {
    const FloatConvParameters p = RandomParameters(8, 4, 3, 3, groups);
    for (const int64_t channels : {2, 5, 8}) {
      ExpectThrows(p, at::randn({2, channels, 8, 8}));
    }
    ExpectThrows(p, at::randn({0, 5, 8, 8}));
    ExpectThrows(p, at::randn({5, 8, 8}));
  }
}

TEST(FloatConvTest, ThrowsForInputsSmallerThanTheKernel) {
  const FloatConvParameters p = RandomParameters(8, 4, 3, 3);
  ExpectThrows(p, at::randn({2, 4, 2, 8}));
  ExpectThrows(p, at::randn({2, 4, 8, 1}));
  ExpectThrows(p, at::randn({2, 4, 2, 2}));
}

TEST(FloatConvTest, TellsWhatParametersAreNotThoseOfAConvolution) {
  const FloatConvParameters good = RandomParameters(8, 4, 3, 3);
  std::vector<FloatConvParameters> bad(12, good);
  bad[0].weight = at::randn({8, 4, 3});
  bad[1].weight = good.weight.to(at::kDouble);
  bad[2].bias = at::randn({7});
  bad[3].bias = at::randn({8, 1});
  bad[4].bias = good.bias.to(at::kHalf);
  bad[5].stride = {1};
  bad[6].padding = {0, 0, 0};
  bad[7].dilation = {};
  bad[8].bias = at::Tensor();
  bad[9].scale = at::ones({7}, at::kDouble);
  bad[10].scale = at::ones({8}, at::kFloat);
  bad[11].scale = at::Tensor();
  for (size_t i = 0; i < bad.size(); ++i) {
    EXPECT_THROW(FloatConv{bad[i]}, c10::Error) << i;
  }
}

// They would kill the process when it divides by them.
TEST(FloatConvTest, TellsWhatNumbersAreNotThoseOfAConvolution) {
  const FloatConvParameters good = RandomParameters(8, 4, 3, 3);
  std::vector<FloatConvParameters> bad(10, good);
  bad[0].stride = {0, 0};
  bad[1].stride = {1, -1};
  bad[2].dilation = {0, 1};
  bad[3].padding = {0, -1};
  bad[4].groups = 0;
  bad[5].groups = -1;
  bad[6].groups = 3;
  bad[7].weight = at::ones({8, 4, 0, 3});
  bad[8].weight = at::ones({8, 4, 3, 0});
  bad[9].padding = {int64_t{1} << 62, 0};
  for (size_t i = 0; i < bad.size(); ++i) {
    EXPECT_THROW(FloatConv{bad[i]}, c10::Error) << i;
  }
}

TEST(FloatConvTest, SavesAndLoads) {
  FloatConvParameters p = RandomParameters(8, 4, 3, 2, 2);
  p.stride = {2, 1};
  p.padding = {0, 1};
  p.dilation = {1, 2};
  const auto conv = c10::make_intrusive<FloatConv>(p);
  const at::Tensor x = at::randn({2, 4, 9, 9});
  const at::Tensor y = conv->Forward(x);
  torch::jit::Module module("__torch__.Convolving");
  const c10::IValue object(conv);
  module.register_attribute("conv", object.type(), object);
  module.define(
      "def forward(self, x: Tensor) -> Tensor:\n"
      "    return self.conv.forward(x)\n");
  std::stringstream file;
  module.save(file);
  torch::jit::Module loaded = torch::jit::load(file);
  EXPECT_TRUE(loaded.forward({x}).toTensor().equal(y));
  const FloatConvParameters& actual =
      loaded.attr("conv").toCustomClass<FloatConv>()->parameters();
  EXPECT_TRUE(actual.weight.equal(p.weight));
  EXPECT_TRUE(actual.scale.equal(p.scale));
  EXPECT_TRUE(actual.bias.equal(p.bias));
  EXPECT_EQ(actual.stride, p.stride);
  EXPECT_EQ(actual.padding, p.padding);
  EXPECT_EQ(actual.dilation, p.dilation);
  EXPECT_EQ(actual.groups, 2);
}

TEST(FloatConvTest, DoesNotWriteToItsParameters) {
  FloatConvParameters p = RandomParameters(8, 4, 3, 3);
  const at::Tensor weight = p.weight.clone();
  const at::Tensor bias = p.bias.clone();
  FloatConv conv(p);
  conv.Forward(at::randn({2, 4, 9, 9}));
  conv.Forward(at::randn({4, 9, 9}));
  EXPECT_TRUE(p.weight.equal(weight));
  EXPECT_TRUE(p.bias.equal(bias));
  EXPECT_TRUE(conv.parameters().weight.equal(weight));
}

}  // namespace
}  // namespace ns
