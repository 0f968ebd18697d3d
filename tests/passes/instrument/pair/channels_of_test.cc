#include "passes/instrument/pair/channels_of.h"

#include <torch/csrc/jit/ir/ir.h>

#include <cstdint>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "tests/testing/ir.h"

namespace ns {
namespace {

// The channels of the node with the op `op`, where `lines` are a graph of %x
// and %w with the constants that they need.
ChannelDim In(absl::string_view lines, absl::string_view op) {
  const std::shared_ptr<torch::jit::Graph> graph = GraphOf(absl::StrCat(R"IR(
graph(%x : Tensor, %w : Tensor, %scale : float, %zero : int, %dtype : int):
  %none : NoneType = prim::Constant()
  %one : int = prim::Constant[value=1]()
  %l : int[] = prim::Constant[value=[1]]()
  %hw : int[] = prim::Constant[value=[1, 1]]()
  %dhw : int[] = prim::Constant[value=[1, 1, 1]]()
)IR",
                                                                        lines));
  return ChannelsOf(*NodeOf(*graph, op));
}

TEST(ChannelsOfTest, ConvolutionsCountFromTheEnd) {
  EXPECT_EQ(In(R"IR(
  %c : Tensor = aten::conv1d(%x, %w, %none, %l, %l, %l, %one)
  return (%c))IR",
               "aten::conv1d"),
            ChannelDim::kSecondLast);
  EXPECT_EQ(In(R"IR(
  %c : Tensor = aten::conv2d(%x, %w, %none, %hw, %hw, %hw, %one)
  return (%c))IR",
               "aten::conv2d"),
            ChannelDim::kThirdLast);
  EXPECT_EQ(In(R"IR(
  %c : Tensor = aten::conv3d(%x, %w, %none, %dhw, %dhw, %dhw, %one)
  return (%c))IR",
               "aten::conv3d"),
            ChannelDim::kFourthLast);
}

TEST(ChannelsOfTest, ValuesBehindAConvolutionAreOfIt) {
  const std::string quantized = R"IR(
  %c : Tensor = aten::conv2d(%x, %w, %none, %hw, %hw, %hw, %one)
  %q : Tensor = aten::quantize_per_tensor(%c, %scale, %zero, %dtype)
  %d : Tensor = aten::dequantize(%q)
  %s : Tensor = aten::add(%d, %d, %one)
  return (%s))IR";
  EXPECT_EQ(In(quantized, "aten::quantize_per_tensor"),
            ChannelDim::kNearConv2d);
  EXPECT_EQ(In(quantized, "aten::add"), ChannelDim::kNearConv2d);
}

TEST(ChannelsOfTest, ValuesInFrontOfAConvolutionAreOfIt) {
  EXPECT_EQ(In(R"IR(
  %q : Tensor = aten::quantize_per_tensor(%x, %scale, %zero, %dtype)
  %d : Tensor = aten::dequantize(%q)
  %c : Tensor = aten::conv1d(%d, %w, %none, %l, %l, %l, %one)
  return (%c))IR",
               "aten::quantize_per_tensor"),
            ChannelDim::kNearConv1d);
}

TEST(ChannelsOfTest, TheRankTellsElsewhere) {
  EXPECT_EQ(In(R"IR(
  %s : Tensor = aten::add(%x, %x, %one)
  return (%s))IR",
               "aten::add"),
            ChannelDim::kByRank);
}

// Patches of an image become [N, T, C].
TEST(ChannelsOfTest, WhatMovesDimensionsIsNotFollowed) {
  EXPECT_EQ(In(R"IR(
  %two : int = prim::Constant[value=2]()
  %last : int = prim::Constant[value=-1]()
  %c : Tensor = aten::conv2d(%x, %w, %none, %hw, %hw, %hw, %one)
  %f : Tensor = aten::flatten(%c, %two, %last)
  %t : Tensor = aten::transpose(%f, %one, %two)
  %s : Tensor = aten::add(%t, %t, %one)
  return (%s))IR",
               "aten::add"),
            ChannelDim::kByRank);
}

// A weight that the model computes is no image.
TEST(ChannelsOfTest, OtherInputsOfAConvolutionAreNotItsValues) {
  EXPECT_EQ(In(R"IR(
  %v : Tensor = aten::add(%w, %w, %one)
  %c : Tensor = aten::conv2d(%x, %v, %none, %hw, %hw, %hw, %one)
  return (%c))IR",
               "aten::add"),
            ChannelDim::kByRank);
}

TEST(ChannelFinderTest, VisitsNothingTwiceInVain) {
  constexpr int64_t kLength = 1000;
  torch::jit::Graph graph;
  torch::jit::Value* value = graph.addInput("x");
  for (int64_t i = 0; i < kLength; ++i) {
    value = graph.insert(c10::aten::relu, {value});
  }
  graph.registerOutput(value);
  ChannelFinder finder;
  for (const torch::jit::Node* node : graph.nodes()) {
    EXPECT_EQ(finder.Of(*node), ChannelDim::kByRank);
  }
  // A search from each of them would visit the whole chain.
  EXPECT_LE(finder.visited(), 2 * kLength);
}

}  // namespace
}  // namespace ns
