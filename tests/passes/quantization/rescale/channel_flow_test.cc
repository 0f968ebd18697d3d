#include "passes/quantization/rescale/channel_flow.h"

#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ir/model/model_graph.h"
#include "tests/passes/quantization/rescale/scaled_nets.h"
#include "tests/testing/ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

// Where the channels are behind the ops of `expression`, which take `c`, the 6
// channels of a layer: "2" is the dimension from the end, "2 blocks" behind
// flattening; or why they are nowhere. `call` is the layer's op on x.
std::string Behind(const std::string& call, const std::string& layer,
                   int64_t dim, const std::string& expression) {
  const ModelGraph model = NetOf({"c = torch." + call, "return " + expression},
                                 {{"w", Normal({6, 3, 1, 1}, 1)},
                                  {"f", Normal({6, 3}, 2)},
                                  {"p", Normal({1, 2, 3}, 3)}});
  const ChannelFactors factors(model.graph());
  ChannelFlow flow;
  flow.value = NodeOf(model.graph(), layer)->output();
  flow.dim = dim;
  flow.channels = 6;
  while (true) {
    const auto reader = OnlyReaderOf(*flow.value);
    if (!reader.ok()) {
      EXPECT_EQ(MessageOf(reader), "its values are an output of the model");
      return absl::StrCat(flow.dim, flow.is_flattened ? " blocks" : "");
    }
    const auto next = factors.Past(flow, *reader);
    if (!next.ok()) {
      return MessageOf(next);
    }
    flow = *next;
  }
}

std::string BehindConv(const std::string& expression) {
  return Behind("conv2d(x, self.w, None)", "aten::conv2d", 3, expression);
}

std::string BehindLinear(const std::string& expression) {
  return Behind("linear(x, self.f, None)", "aten::linear", 1, expression);
}

TEST(ChannelFlowTest, OfImages) {
  EXPECT_EQ(BehindConv("torch.relu(torch.max_pool2d(c, [2, 2]))"), "3");
  EXPECT_EQ(BehindConv("torch.mean(c, [2, 3], True)"), "3");
  EXPECT_EQ(BehindConv("torch.mean(c, [2, 3])"), "1");
  EXPECT_EQ(BehindConv("torch.mean(c, [-1])"), "2");
  EXPECT_EQ(BehindConv("torch.flatten(c, 1)"), "1 blocks");
  EXPECT_EQ(BehindConv("torch.flatten(c, -3)"), "1 blocks");
  EXPECT_EQ(BehindConv("c.view([c.size(0), -1])"), "1 blocks");
  EXPECT_EQ(BehindConv("c.reshape([c.size(0), 54])"), "1 blocks");
  EXPECT_EQ(BehindConv("torch.relu(torch.flatten(c, 1))"), "1 blocks");
}

TEST(ChannelFlowTest, OfImagesThatAreMixed) {
  const std::string mixes =
      "aten::flatten stands between, and mixes channels with other dimensions";
  EXPECT_EQ(BehindConv("torch.flatten(c, 0)"), mixes);
  EXPECT_EQ(BehindConv("torch.flatten(c, 1, 2)"), mixes);
  EXPECT_EQ(BehindConv("torch.flatten(torch.flatten(c, 1), 0)"), mixes);
  EXPECT_EQ(BehindConv("c.view([-1, 54])"),
            "aten::view stands between, and only a run tells where it puts "
            "channels");
  EXPECT_EQ(BehindConv("c.view([x.size(0), -1])"),
            "aten::view stands between, and only a run tells where it puts "
            "channels");
  const std::string not_space =
      "aten::mean stands between, and may not be over space alone";
  EXPECT_EQ(BehindConv("torch.mean(c, [1])"), not_space);
  EXPECT_EQ(BehindConv("torch.mean(c, [0, 2])"), not_space);
  EXPECT_EQ(BehindConv("torch.mean(c, [-3])"), not_space);
  EXPECT_EQ(BehindConv("torch.mean(c)"), "aten::mean stands between");
  EXPECT_EQ(BehindConv("torch.max_pool3d(c, [1, 1, 1])"),
            "aten::max_pool3d stands between");
  EXPECT_EQ(BehindConv("torch.constant_pad_nd(c, [0, 0, 0, 0, 1, 1])"),
            "aten::constant_pad_nd stands between");
  EXPECT_EQ(BehindConv("torch.transpose(c, 1, 2)"),
            "aten::transpose stands between");
}

TEST(ChannelFlowTest, OfFeatures) {
  EXPECT_EQ(BehindLinear("c.view([-1, 6])"), "1");
  EXPECT_EQ(BehindLinear("c.reshape([c.size(0), 2, 2, 6])"), "1");
  EXPECT_EQ(BehindLinear("torch.flatten(c, 0, -2)"), "1");
  EXPECT_EQ(BehindLinear("torch.permute(c, [1, 0, 2])"), "1");
  EXPECT_EQ(BehindLinear("torch.transpose(c, -2, -3)"), "1");
  EXPECT_EQ(BehindLinear("torch.mean(c, [-2])"), "1");
  EXPECT_EQ(BehindLinear("torch.select(c, -2, 0)"), "1");
  // It has three dimensions at least.
  const auto behind = [](const std::string& expression) {
    return Behind("linear(x + self.p, self.f, None)", "aten::linear", 1,
                  expression);
  };
  EXPECT_EQ(behind("torch.transpose(c, 0, 1)"), "1");
  EXPECT_EQ(behind("torch.select(c, 1, 0)"), "1");
  EXPECT_EQ(behind("torch.mean(c, [1])"), "1");
  EXPECT_EQ(behind("torch.transpose(c, 1, 2)"),
            "aten::transpose stands between");
}

TEST(ChannelFlowTest, OfFeaturesThatAreMixed) {
  const std::string where =
      "stands between, and only a run tells where it puts channels";
  EXPECT_EQ(BehindLinear("c.view([-1, 3])"), "aten::view " + where);
  EXPECT_EQ(BehindLinear("c.view([c.size(0), -1])"), "aten::view " + where);
  EXPECT_EQ(BehindLinear("torch.flatten(c, 1)"),
            "aten::flatten stands between, and mixes channels with other "
            "dimensions");
  EXPECT_EQ(BehindLinear("torch.permute(c, [0, 2, 1])"),
            "aten::permute stands between");
  // Two dimensions would be exchanged.
  EXPECT_EQ(BehindLinear("torch.transpose(c, 0, 1)"),
            "aten::transpose stands between");
  EXPECT_EQ(BehindLinear("torch.select(c, 1, 0)"),
            "aten::select stands between");
  EXPECT_EQ(BehindLinear("torch.mean(c, [-1])"),
            "aten::mean stands between, and may not be over space alone");
  EXPECT_EQ(BehindLinear("torch.max_pool1d(c, [1])"),
            "aten::max_pool1d stands between");
}

TEST(ChannelFlowTest, ReadersAreThoseOfValues) {
  const ModelGraph model =
      NetOf({"c = torch.relu(x)", "d = torch.neg(c)", "e = torch.exp(c)",
             "return (d.view([c.size(0), -1]), e)"},
            {});
  const auto readers =
      OrThrow(ReadersOf(*NodeOf(model.graph(), "aten::relu")->output()));
  ASSERT_EQ(readers.size(), 2);
  EXPECT_EQ(readers[0].user, NodeOf(model.graph(), "aten::neg"));
  EXPECT_EQ(readers[1].user, NodeOf(model.graph(), "aten::exp"));
  EXPECT_EQ(
      MessageOf(OnlyReaderOf(*NodeOf(model.graph(), "aten::relu")->output())),
      "its values are read by aten::neg and by aten::exp");
}

}  // namespace
}  // namespace ns
