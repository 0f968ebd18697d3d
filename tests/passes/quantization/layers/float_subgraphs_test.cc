#include "passes/quantization/layers/float_subgraphs.h"

#include <ATen/Functions.h>

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/graph/layer_id.h"
#include "ir/graph/node_view.h"
#include "tests/testing/float_model.h"
#include "tests/testing/ir.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// "conv: conv2d batch_norm relu".
std::vector<std::string> Lines(const ModelGraph& model) {
  std::vector<std::string> lines;
  for (const FloatSubgraph& found : FindFloatSubgraphs(model.graph())) {
    std::string line = absl::StrCat(found.name, ":");
    for (const torch::jit::Node* node : found.subgraph.nodes) {
      absl::StrAppend(&line, " ", ShortOpName(OpName(*node)));
    }
    lines.push_back(line);
    EXPECT_EQ(found.subgraph.start, found.subgraph.nodes.front());
    EXPECT_EQ(found.subgraph.end, found.subgraph.nodes.back());
    EXPECT_EQ(found.output->node(), found.subgraph.end);
  }
  return lines;
}

std::vector<std::string> LinesOf(absl::string_view body) {
  return Lines(ModelOf(absl::StrCat(
      "graph(%x : Tensor, %w : Tensor, %b : Tensor, %n : int, %f : float, "
      "%no : bool, %list : int[]):\n",
      body)));
}

TEST(FloatSubgraphsTest, ConvolutionTakesBatchNormAndReluIn) {
  const ModelGraph model = OrThrow(ModelGraph::FromModule(
      MakeModel({{"conv", Conv2d(at::randn({4, 3, 3, 3}))},
                 {"bn", BatchNorm2d(4)},
                 {"relu", Relu()}},
                {"return self.relu.forward(self.bn.forward("
                 "self.conv.forward(x)))"})));
  EXPECT_THAT(Lines(model), ElementsAre("conv: conv2d batch_norm relu"));
  const std::vector<FloatSubgraph> found = FindFloatSubgraphs(model.graph());
  EXPECT_EQ(found[0].op, "aten::conv2d");
  EXPECT_EQ(found[0].family, "conv2d");
  EXPECT_EQ(found[0].fqn, "conv");
  EXPECT_EQ(found[0].module_type, "torch.nn.modules.conv.Conv2d");
}

// LibTorch has quantized ops that end with a relu, and none with a batch norm
// or a clamp.
TEST(FloatSubgraphsTest, WhatOpsOfLibTorchFuseIsLess) {
  const auto lines = [](const std::string& body, FusingOps fusing) {
    std::vector<std::string> ops;
    const ModelGraph model = FloatModel({absl::StrCat("return ", body)});
    for (const FloatSubgraph& found :
         FindFloatSubgraphs(model.graph(), {}, fusing)) {
      ops.push_back(
          absl::StrJoin(found.subgraph.nodes, " ",
                        [](std::string* out, const torch::jit::Node* node) {
                          absl::StrAppend(out, ShortOpName(OpName(*node)));
                        }));
    }
    return ops;
  };
  const std::string relu = absl::StrCat("torch.relu(", ConvOf("x"), ")");
  EXPECT_THAT(lines(relu, FusingOps::kAll), ElementsAre("conv2d relu"));
  EXPECT_THAT(lines(relu, FusingOps::kLibTorch), ElementsAre("conv2d relu"));
  const std::string clamp = absl::StrCat("torch.relu6(", ConvOf("x"), ")");
  EXPECT_THAT(lines(clamp, FusingOps::kAll), ElementsAre("conv2d relu6"));
  EXPECT_THAT(lines(clamp, FusingOps::kLibTorch),
              ElementsAre("conv2d", "relu6"));
  const std::string norm = absl::StrCat(
      "torch.batch_norm(", ConvOf("x"),
      ", self.gamma, self.beta, self.b, self.b, False, 0.1, 1e-5, False)");
  EXPECT_THAT(lines(norm, FusingOps::kAll), ElementsAre("conv2d batch_norm"));
  EXPECT_THAT(lines(norm, FusingOps::kLibTorch),
              ElementsAre("conv2d", "batch_norm"));
  const std::string transposed =
      "torch.relu(torch.conv_transpose2d(x, self.w2))";
  EXPECT_THAT(lines(transposed, FusingOps::kAll),
              ElementsAre("conv_transpose2d relu"));
  EXPECT_THAT(lines(transposed, FusingOps::kLibTorch),
              ElementsAre("conv_transpose2d", "relu"));
}

TEST(FloatSubgraphsTest, AddTakesReluIn) {
  EXPECT_THAT(LinesOf(R"(
  %s : Tensor = aten::add(%x, %x, %n)
  %r : Tensor = aten::relu_(%s)
  return (%r))"),
              ElementsAre("add: add relu_"));
}

TEST(FloatSubgraphsTest, ActivationsThatNoQuantizedOpHasStandAlone) {
  EXPECT_THAT(LinesOf(R"(
  %s : Tensor = aten::linear(%x, %w, %b)
  %r : Tensor = aten::sigmoid(%s)
  %t : Tensor = aten::matmul(%r, %r)
  %u : Tensor = aten::relu(%t)
  return (%u))"),
              ElementsAre("linear: linear", "sigmoid: sigmoid",
                          "matmul: matmul", "relu: relu"));
}

TEST(FloatSubgraphsTest, ReluOfAValueUsedElsewhereStandsAlone) {
  EXPECT_THAT(LinesOf(R"(
  %s : Tensor = aten::linear(%x, %w, %b)
  %r : Tensor = aten::relu(%s)
  %t : Tensor = aten::add(%r, %s, %n)
  return (%t))"),
              ElementsAre("linear: linear", "relu: relu", "add: add"));
}

TEST(FloatSubgraphsTest, MovingDataAndDropoutAreLeftOut) {
  EXPECT_THAT(LinesOf(R"(
  %s : Tensor = aten::flatten(%x, %n, %n)
  %r : Tensor = aten::dropout(%s, %f, %no)
  %t : Tensor = aten::contiguous(%r, %n)
  return (%t))"),
              IsEmpty());
}

TEST(FloatSubgraphsTest, QuantizedOpsAreLeftOut) {
  EXPECT_THAT(LinesOf(R"(
  %s : Tensor = aten::quantize_per_tensor(%x, %f, %n, %n)
  %r : Tensor = quantized::add(%s, %s, %f, %n)
  %t : Tensor = aten::dequantize(%r)
  return (%t))"),
              IsEmpty());
}

TEST(FloatSubgraphsTest, GoesIntoControlFlowAndCountsNames) {
  EXPECT_THAT(
      LinesOf(R"(
  %s : Tensor = aten::sigmoid(%x)
  %y : Tensor = prim::If(%no)
    block0():
      %a : Tensor = aten::sigmoid(%s)
      -> (%a)
    block1():
      %t : Tensor = aten::tanh(%s)
      -> (%t)
  return (%y))"),
      ElementsAre("sigmoid: sigmoid", "sigmoid@1: sigmoid", "tanh: tanh"));
}

TEST(FloatSubgraphsTest, CountsOpsOfOneKindInAModule) {
  const ModelGraph model = ModelOf(R"IR(
graph(%x : Tensor):
  %a : Tensor = aten::sigmoid(%x)
  %b : Tensor = aten::tanh(%a)
  %c : Tensor = aten::sigmoid(%b)
  return (%c))IR");
  std::vector<int> orders;
  for (const FloatSubgraph& found : FindFloatSubgraphs(model.graph())) {
    orders.push_back(found.order);
  }
  EXPECT_THAT(orders, ElementsAre(0, 0, 1));
}

TEST(FloatSubgraphsTest, LayersAreFoundInCopiesByTheirIds) {
  const ModelGraph model = FloatModel(
      {"return torch.sigmoid(torch.relu(torch.conv2d(x, self.w2)))"});
  const std::vector<FloatSubgraph> layers = FindFloatSubgraphs(model.graph());
  MarkLayers(layers);
  const ModelGraph copy = OrThrow(model.Clone());
  std::vector<std::string> marked;
  for (const torch::jit::Node* node : AllNodes(copy.graph())) {
    if (const std::optional<LayerId> id = LayerIdOf(*node)) {
      marked.push_back(
          absl::StrCat(OpName(*node), " of ", LayerOf(layers, *id).name));
    }
  }
  EXPECT_THAT(marked, ElementsAre("aten::conv2d of conv2d",
                                  "aten::sigmoid of sigmoid"));
}

}  // namespace
}  // namespace ns
