#include "passes/quantization/reference/float_forms.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <ATen/native/quantized/PackedParams.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/passes/dead_code_elimination.h>
#include <torch/custom_class.h>

#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/graph/node_view.h"
#include "ir/graph/verifier.h"
#include "passes/instrument/insert_logger.h"
#include "tests/testing/engines.h"
#include "tests/testing/ir.h"
#include "tests/testing/modules.h"
#include "tests/testing/reference_kernels.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::torch::jit::Node;
using ::torch::jit::Value;
using Ints = std::vector<int64_t>;

// The ops of `graph` but constants, in order.
std::vector<std::string> Ops(const torch::jit::Graph& graph) {
  std::vector<std::string> ops;
  for (const Node* node : AllNodes(graph)) {
    if (node->kind() != c10::prim::Constant) {
      ops.emplace_back(node->kind().toQualString());
    }
  }
  return ops;
}

at::Tensor ConstantInput(const Node& node, size_t index) {
  return ConstantOf(*node.input(index)).value().toTensor();
}

class FloatFormsTest : public EngineTest {
 protected:
  static ModelGraph Layer(const std::string& expression,
                          const c10::IValue& packed) {
    return LayerOf("x: Tensor", expression, {{"packed", packed}});
  }

  c10::IValue PackedLinear() {
    return CallOp("quantized::linear_prepack", {weight_, bias_});
  }

  const at::Tensor weight_ = QuantizeWeight(at::randn({4, 6}));
  const at::Tensor bias_ = at::randn({4});
};

TEST_P(FloatFormsTest, LinearHasItsWeightDequantizedAsAConstant) {
  ModelGraph model = Layer("ops.quantized.linear_relu(x, self.packed, 0.1, 9)",
                           PackedLinear());
  Node* node = NodeOf(model.graph(), "quantized::linear_relu");
  const Value* reference = OrThrow(InsertReference(model, node));
  EXPECT_THAT(
      Ops(model.graph()),
      ElementsAre("ns::as_float", "aten::linear", "aten::relu", "prim::dtype",
                  "aten::quantize_per_tensor", "quantized::linear_relu"));
  const Node* linear = NodeOf(model.graph(), "aten::linear");
  EXPECT_TRUE(ConstantInput(*linear, 1).equal(weight_.dequantize()));
  EXPECT_TRUE(ConstantInput(*linear, 2).equal(bias_));
  const Node* quantize = reference->node();
  EXPECT_EQ(quantize->kind(), c10::aten::quantize_per_tensor);
  EXPECT_EQ(quantize->input(1), node->input(2));
  EXPECT_EQ(quantize->input(2), node->input(3));
}

TEST_P(FloatFormsTest, ConvHasItsGeometry) {
  const at::Tensor weight = QuantizeWeight(at::randn({4, 3, 3, 3}));
  ModelGraph model = Layer(
      "ops.quantized.conv2d(x, self.packed, 0.1, 9)",
      CallOp("quantized::conv2d_prepack",
             {weight, bias_, Ints{1, 2}, Ints{0, 1}, Ints{1, 1}, int64_t{1}}));
  OrThrow(InsertReference(model, NodeOf(model.graph(), "quantized::conv2d")));
  EXPECT_THAT(Ops(model.graph()),
              ElementsAre("ns::as_float", "aten::conv2d", "prim::dtype",
                          "aten::quantize_per_tensor", "quantized::conv2d"));
  const Node* conv = NodeOf(model.graph(), "aten::conv2d");
  EXPECT_TRUE(ConstantInput(*conv, 1).equal(weight.dequantize()));
  EXPECT_TRUE(ConstantInput(*conv, 2).equal(bias_));
  const auto numbers = [&](size_t input) {
    return ConstantOf(*conv->input(input)).value().toIntVector();
  };
  EXPECT_THAT(numbers(3), ElementsAre(1, 2));
  EXPECT_THAT(numbers(4), ElementsAre(0, 1));
}

TEST_P(FloatFormsTest, DynamicLinearQuantizesItsInputOnly) {
  ModelGraph model = Layer("ops.quantized.linear_dynamic(x, self.packed, True)",
                           PackedLinear());
  Node* node = NodeOf(model.graph(), "quantized::linear_dynamic");
  const Value* reference = OrThrow(InsertReference(model, node));
  EXPECT_THAT(Ops(model.graph()),
              ElementsAre("ns::quantize_dynamic", "ns::as_float",
                          "aten::linear", "quantized::linear_dynamic"));
  EXPECT_EQ(reference->node()->kind(), c10::aten::linear);
  const Node* quantize = NodeOf(model.graph(), "ns::quantize_dynamic");
  EXPECT_EQ(quantize->input(1), node->input(2));
}

TEST_P(FloatFormsTest, LoggersStandBehindTheReference) {
  ModelGraph model =
      Layer("ops.quantized.linear(x, self.packed, 0.1, 9)", PackedLinear());
  Value* reference = OrThrow(
      InsertReference(model, NodeOf(model.graph(), "quantized::linear")));
  OrThrow(InsertLogger(model, {}, {}, reference, PlaceAfter(*reference)));
  NS_EXPECT_OK(VerifyGraph(model.graph()));
}

TEST_P(FloatFormsTest, ThreeDimensionsNeedAnEngineThatUnpacksThem) {
  ModelGraph model =
      Layer("ops.quantized.conv3d(x, self.packed, 0.1, 9)",
            CallOp("quantized::conv3d_prepack",
                   {QuantizeWeight(at::randn({4, 3, 3, 3, 3})), c10::IValue(),
                    Ints{1, 1, 1}, Ints{0, 0, 0}, Ints{1, 1, 1}, int64_t{1}}));
  if (GetParam() == at::kQNNPACK) {
    EXPECT_THAT(WhyNoReference(std::move(model), "quantized::conv3d"),
                HasSubstr("QNNPACK only supports conv2d_unpack"));
  } else {
    OrThrow(InsertReference(model, NodeOf(model.graph(), "quantized::conv3d")));
  }
}

NS_INSTANTIATE_ON_ENGINES(FloatFormsTest);

// What a LibTorch with FBGEMM packs: a weight of half precision, in float.
class HalfPacked final : public LinearPackedParamsBase {
 public:
  HalfPacked(at::Tensor weight, at::Tensor bias)
      : weight_(std::move(weight)), bias_(std::move(bias)) {}

  std::tuple<at::Tensor, c10::optional<at::Tensor>> unpack() override {
    return {weight_, bias_};
  }
  c10::optional<at::Tensor> bias() override { return bias_; }
  at::Tensor apply(at::Tensor, double, int64_t) override { return {}; }
  at::Tensor apply_relu(at::Tensor, double, int64_t) override { return {}; }
  at::Tensor apply_dynamic(at::Tensor, bool) override { return {}; }
  at::Tensor apply_dynamic_relu(at::Tensor, bool) override { return {}; }

 private:
  const at::Tensor weight_;
  const at::Tensor bias_;
};

TEST(PackedFloatFormsTest, HalfPrecisionLinearHasItsStoredWeight) {
  const at::Tensor weight = at::randn({4, 6}).to(at::kHalf);
  const at::Tensor bias = at::randn({4});
  ModelGraph model = LayerOf(
      "x: Tensor", "ops.quantized.linear_relu_dynamic_fp16(x, self.packed)",
      {{"packed", c10::intrusive_ptr<LinearPackedParamsBase>(
                      c10::make_intrusive<HalfPacked>(weight, bias))}});
  Node* node = NodeOf(model.graph(), "quantized::linear_relu_dynamic_fp16");
  Value* reference = OrThrow(InsertReference(model, node));
  // This LibTorch has no such kernel: only the reference runs.
  node->output()->replaceAllUsesWith(reference);
  torch::jit::EliminateDeadCode(model.shared_graph());
  const at::Tensor x = at::randn({3, 6});
  EXPECT_TRUE(OrThrow(model.Run({x}))
                  .toTensor()
                  .equal(at::linear(x, weight.to(at::kFloat), bias).relu()));
}

c10::IValue PackedEmbedding() {
  return CallOp("quantized::embedding_bag_prepack",
                {at::quantize_per_channel(at::randn({5, 4}), at::ones({5}),
                                          at::zeros({5}), 0, at::kQUInt8)});
}

TEST(PackedFloatFormsTest, LeavesEmbeddingBagsThatItCannotTell) {
  const Attributes packed = {{"packed", PackedEmbedding()}};
  EXPECT_EQ(
      WhyNoReference(LayerOf("x: Tensor, o: Optional[Tensor]",
                             "ops.quantized.embedding_bag_byte(self.packed, "
                             "x, o)",
                             packed),
                     "quantized::embedding_bag_byte"),
      "only a run tells whether it has offsets");
  EXPECT_EQ(
      WhyNoReference(LayerOf("x: Tensor, o: Tensor, m: Tensor",
                             "ops.quantized.embedding_bag_byte(self.packed, "
                             "x, o, False, 0, True, None, m)",
                             packed),
                     "quantized::embedding_bag_byte"),
      "embedding bags with pruned rows have no reference kernel");
}

}  // namespace
}  // namespace ns
