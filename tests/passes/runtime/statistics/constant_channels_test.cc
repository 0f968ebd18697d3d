#include "passes/runtime/statistics/constant_channels.h"

#include <ATen/ATen.h>

#include "gtest/gtest.h"

namespace ns {
namespace {

void Add(const at::Tensor& x, const at::Tensor& y, ConstantChannels& channels) {
  TensorStatisticsOptions options;
  options.channel_dim = 1;
  channels.Add(x, y, 1, CompareTensors(x, y, options).channels);
}

at::Tensor Rounded(const at::Tensor& x) {
  return at::quantize_per_tensor(x, 1, 0, at::kQUInt8);
}

TEST(ConstantChannelsTest, CountsChannelsBelowAStep) {
  at::Tensor x = 100 * at::rand({8, 6});
  x.narrow(1, 2, 2).mul_(0.004);
  ConstantChannels channels;
  EXPECT_EQ(channels.Count(), 0);
  Add(x, Rounded(x), channels);
  EXPECT_EQ(channels.Count(), 2);
}

TEST(ConstantChannelsTest, ChannelsThatAreConstantInBothAreNotDead) {
  at::Tensor x = 100 * at::rand({8, 6});
  x.select(1, 3).fill_(0.4);
  ConstantChannels channels;
  Add(x, Rounded(x), channels);
  EXPECT_EQ(channels.Count(), 0);
}

TEST(ConstantChannelsTest, ALaterPairMayVary) {
  at::Tensor x = 100 * at::rand({8, 6});
  x.narrow(1, 2, 2).mul_(0.004);
  at::Tensor later = x.clone();
  later.select(1, 2)[0] = 50;
  ConstantChannels channels;
  Add(x, Rounded(x), channels);
  Add(later, Rounded(later), channels);
  EXPECT_EQ(channels.Count(), 1);
  // What has varied stays so.
  Add(x, Rounded(x), channels);
  EXPECT_EQ(channels.Count(), 1);
}

TEST(ConstantChannelsTest, EachPairMayHaveAValueOfItsOwn) {
  at::Tensor x = 0.1 * at::rand({8, 2});
  ConstantChannels channels;
  Add(x, at::zeros({8, 2}), channels);
  EXPECT_EQ(channels.Count(), 2);
  Add(x, at::ones({8, 2}), channels);
  EXPECT_EQ(channels.Count(), 0);
}

TEST(ConstantChannelsTest, PartsAddUp) {
  at::Tensor x = 100 * at::rand({8, 3});
  x.mul_(0.004);
  ConstantChannels all;
  ConstantChannels other;
  Add(x, Rounded(x), all);
  all.Merge(other);
  EXPECT_EQ(all.Count(), 3);
  Add(x, Rounded(100 * at::rand({8, 3})), other);
  all.Merge(other);
  EXPECT_EQ(all.Count(), 0);
}

TEST(ConstantChannelsTest, ScalesOfEachChannelAreRead) {
  const at::Tensor x = 0.001 * at::rand({8, 2});
  const at::Tensor y = at::quantize_per_channel(
      x, at::ones({2}, at::kDouble), at::zeros({2}, at::kLong), 1, at::kQInt8);
  ConstantChannels channels;
  Add(x, y, channels);
  EXPECT_EQ(channels.Count(), 2);
}

TEST(ConstantChannelsTest, NothingHasNone) {
  ConstantChannels channels;
  Add(at::empty({0, 4}), at::empty({0, 4}), channels);
  channels.Add(at::ones({4}), at::ones({4}), -1, {});
  EXPECT_EQ(channels.Count(), 0);
}

}  // namespace
}  // namespace ns
