#include "passes/quantization/layers/fit_qconfig.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "tests/testing/graph_with.h"

namespace ns {
namespace {

// Fits `qconfig` to the only layer of the graph.
bool Fit(absl::string_view text, QConfig& qconfig) {
  const auto graph = GraphWith(text, {{"w", at::ones({2, 2, 1, 1})}});
  const std::vector<FloatSubgraph> subgraphs = FindFloatSubgraphs(*graph);
  return FitWeight(subgraphs.at(0), qconfig);
}

constexpr char kConvolution[] = R"IR(
graph(%x : Tensor, %two : int[], %w : Tensor):
  %none : NoneType = prim::Constant()
  %one : int = prim::Constant[value=1]()
  %f : bool = prim::Constant[value=0]()
  %t : bool = prim::Constant[value=TRANSPOSED]()
  %y : Tensor = aten::_convolution(%x, %w, %none, %two, %two, %two, %t, %two, %one, %f, %f, %f, %f)
  return (%y))IR";

std::string Convolution(bool transposed) {
  std::string text = kConvolution;
  const std::string word = "TRANSPOSED";
  return text.replace(text.find(word), word.size(), transposed ? "1" : "0");
}

TEST(FitQConfigTest, TransposedWeightsGetOneScale) {
  QConfig qconfig = Int8PerChannelQConfig();
  EXPECT_TRUE(Fit(Convolution(true), qconfig));
  EXPECT_EQ(qconfig.weight, Int8PerTensorQConfig().weight);
  EXPECT_FALSE(Fit(Convolution(true), qconfig));
}

TEST(FitQConfigTest, OtherWeightsKeepTheirs) {
  QConfig qconfig = Int8PerChannelQConfig();
  EXPECT_FALSE(Fit(Convolution(false), qconfig));
  EXPECT_EQ(qconfig, Int8PerChannelQConfig());
}

}  // namespace
}  // namespace ns
