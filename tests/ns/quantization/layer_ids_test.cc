// Layers keep their ids (ir/graph/layer_id.h) when a model is quantized and
// lowered.
#include <ATen/Functions.h>

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/graph/layer_id.h"
#include "ir/graph/node_view.h"
#include "ns/quantization/model/copy_for_target.h"
#include "ns/quantization/model/quantize_model.h"
#include "passes/quantization/layers/float_subgraphs.h"
#include "tests/ns/quantization/quantizing.h"
#include "tests/testing/float_model.h"
#include "tests/testing/ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;

class LayerIdsTest : public testing::Test {
 protected:
  LayerIdsTest() {
    at::manual_seed(1);
    MarkLayers(layers_);
  }

  QuantizedModel Quantized(const QuantizeOptions& options) const {
    return OrThrow(
        QuantizeModel(model_, BatchesOf({at::randn({2, 3, 8, 8})}), options));
  }

  // "quantized::conv2d: conv2d@1" for each op of `model` that has an id.
  std::vector<std::string> Lines(const ModelGraph& model) const {
    std::vector<std::string> lines;
    for (const torch::jit::Node* node : AllNodes(model.graph())) {
      if (const std::optional<LayerId> id = LayerIdOf(*node)) {
        lines.push_back(
            absl::StrCat(OpName(*node), ": ", LayerOf(layers_, *id).name));
      }
    }
    return lines;
  }

  const ModelGraph model_ = FloatModel(
      {absl::StrCat("y = torch.relu(", ConvOf("x"), ")"),
       absl::StrCat("z = torch.hardtanh(", ConvOf("y"), ", 0., 0.5)"),
       "return torch.linear(z.mean([2, 3]), self.w, self.b)"});
  const std::vector<FloatSubgraph> layers_ =
      FindFloatSubgraphs(model_.graph(), {}, FusingOps::kLibTorch);
};

TEST_F(LayerIdsTest, QuantizedOpsHaveThoseOfTheirLayers) {
  EXPECT_THAT(
      Lines(Quantized({}).model),
      ElementsAre("quantized::conv2d_relu: conv2d",
                  "quantized::conv2d: conv2d@1", "aten::hardtanh: hardtanh",
                  "aten::mean: mean", "quantized::linear: linear"));
}

// A quantized cat takes a list of its own.
TEST_F(LayerIdsTest, AllOpsOfALayerHaveItsId) {
  const ModelGraph model = FloatModel(
      {absl::StrCat("y = ", ConvOf("x")), "return torch.cat([y, y + y], 1)"});
  const std::vector<FloatSubgraph> layers =
      FindFloatSubgraphs(model.graph(), {}, FusingOps::kLibTorch);
  MarkLayers(layers);
  const QuantizedModel quantized =
      OrThrow(QuantizeModel(model, BatchesOf({at::randn({2, 3, 8, 8})}), {}));
  const torch::jit::Node& cat =
      *NodeOf(quantized.model.graph(), "quantized::cat");
  EXPECT_EQ(LayerIdOf(cat), layers.back().id);
  EXPECT_EQ(LayerIdOf(*cat.input(0)->node()), layers.back().id);
}

TEST_F(LayerIdsTest, OpsThatStayFloatKeepTheirs) {
  QuantizeOptions options;
  options.keep = {"linear"};
  EXPECT_EQ(Lines(Quantized(options).model).back(), "aten::linear: linear");
}

TEST_F(LayerIdsTest, DynamicOpsHaveThoseOfTheirLayers) {
  QuantizeOptions options;
  options.mode = QuantizeMode::kDynamic;
  EXPECT_EQ(Lines(Quantized(options).model).back(),
            "quantized::linear_dynamic: linear");
}

// The clamp is part of the convolution then: no op has its id.
TEST_F(LayerIdsTest, LayersThatOthersTakeInAreNotFound) {
  EXPECT_THAT(
      Lines(OrThrow(CopyForTarget(Quantized({}).model, {}))),
      ElementsAre("ns::fbgemm_conv2d_relu: conv2d",
                  "ns::fbgemm_conv2d_clamp: conv2d@1", "ns::fbgemm_mean: mean",
                  "ns::fbgemm_linear: linear"));
}

}  // namespace
}  // namespace ns
