// What PyTorch's tests claim of shadows of its test models and of real
// networks, of ours: see the table in tests/README.md.
#include <limits>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/instrument/logger_info.h"
#include "tests/testing/engines.h"
#include "tests/testing/fx_shadows.h"
#include "tests/testing/results.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

using Layers = std::vector<std::string>;

// The least SQNR of one int8 layer on its own, and that of layers which differ
// in the rounding of a folded norm, in dB.
constexpr double kInt8 = 20;
constexpr double kRounding = 100;

void ExpectLayers(const std::string& name, const Layers& layers,
                  const Layers& quantized_layers) {
  SCOPED_TRACE(name);
  const FxShadows prepared(name, "float", "prepared");
  EXPECT_THAT(prepared.layers(), ElementsAreArray(layers));
  EXPECT_GT(prepared.sqnr(), kRounding);
  const FxShadows quantized(name, "prepared", "quantized");
  EXPECT_THAT(quantized.layers(), ElementsAreArray(quantized_layers));
  EXPECT_GT(quantized.sqnr(), kInt8);
}

using ReferenceModelsTest = EngineTest;
NS_INSTANTIATE_ON_ENGINES(ReferenceModelsTest);

TEST_P(ReferenceModelsTest, PlainFusedAndNormalizedConvolutionsAreShadowed) {
  for (const char* name :
       {"torch_conv", "torch_conv_bn", "torch_conv_bn_relu"}) {
    ExpectLayers(name, {"conv"}, {"x.quantize", "conv"});
  }
}

TEST_P(ReferenceModelsTest, StaticAndDynamicLinearsAreShadowed) {
  ExpectLayers("torch_linear", {"fc1"}, {"x.quantize", "fc1"});
  ExpectLayers("torch_linear_dynamic", {"fc1"}, {"fc1"});
}

TEST_P(ReferenceModelsTest, DynamicLstmIsShadowedWithItsState) {
  ExpectLayers("lstm_dynamic", {"lstm"}, {"lstm"});
}

// The reference shadows the three linears alone.
TEST_P(ReferenceModelsTest, EmbeddingsAndDenseLayersAreShadowed) {
  const Layers layers = {"model_sparse.emb_bag", "dense_top.dense_mlp.0", "cat",
                         "dense_top.top_mlp.0", "dense_top.top_mlp.1"};
  for (const bool inputs : {false, true}) {
    const FxShadows prepared("torch_sparse_nn", "float", "prepared", inputs);
    EXPECT_THAT(prepared.layers(), ElementsAreArray(layers));
    EXPECT_EQ(prepared.sqnr(), std::numeric_limits<double>::infinity());
    const FxShadows quantized("torch_sparse_nn", "prepared", "quantized",
                              inputs);
    EXPECT_THAT(quantized.layers(),
                ElementsAre("dense.quantize", layers[0],
                            "model_sparse.emb_bag.quantize", layers[1],
                            layers[2], layers[3], layers[4]));
    EXPECT_THAT(LayersWith(quantized.results, kNodeInputResult),
                ElementsAreArray(inputs ? layers : Layers{}));
  }
}

// Every layer of both pairs, and the quantized model's output as it was.
void ExpectWholeNetwork(const std::string& name, size_t layers) {
  EXPECT_EQ(FxShadows(name, "float", "prepared").layers().size(), layers);
  const FxShadows quantized(name, "prepared", "quantized");
  // The input's quantization is one more.
  EXPECT_EQ(quantized.layers().size(), layers + 1);
  EXPECT_GT(quantized.sqnr(), kInt8);
  EXPECT_TRUE(
      quantized.output.toTensor().equal(quantized.plain_output.toTensor()));
}

// 20 convolutions, 8 residual adds, 2 pools, the flatten and the linear.
TEST_P(ReferenceModelsTest, Resnet18IsShadowed) {
  ExpectWholeNetwork("resnet18", 32);
}

// 52 convolutions, 10 residual adds, the pool, the flatten and the linear.
TEST_P(ReferenceModelsTest, MobilenetIsShadowed) {
  ExpectWholeNetwork("mobilenet_v2", 65);
}

}  // namespace
}  // namespace ns
