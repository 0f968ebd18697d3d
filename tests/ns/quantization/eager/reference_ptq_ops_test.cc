// PyTorch's cases of single layers that are quantized after training, see
// tests/README.md.
#include <ATen/ATen.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/ir.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/hierarchy/module_editor.h"
#include "ir/model/model_graph.h"
#include "ns/quantization/eager/prepare_and_convert.h"
#include "ns/quantization/eager/stubs.h"
#include "ns/quantization/model/quantize_model.h"
#include "passes/quantization/layers/constant_weights.h"
#include "passes/quantization/qconfig/default_qconfigs.h"
#include "passes/runtime/observers/make_observer.h"
#include "tests/ns/quantization/eager/reference_models.h"
#include "tests/ns/quantization/eager/two_linears.h"
#include "tests/testing/engines.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::torch::jit::Module;

constexpr char kModules[] = "torch.ao.nn.quantized.modules.";

// `layer` between stubs.
Module Between(const Module& layer) {
  return MakeModel(
      {{"quant", QuantStub()}, {"layer", layer}, {"dequant", DeQuantStub()}},
      {"y = self.layer.forward(self.quant.forward(x))",
       "return self.dequant.forward(y)"});
}

// `x` quantized and dequantized.
at::Tensor Rounded(const at::Tensor& x, double scale, int64_t zero_point) {
  return at::quantize_per_tensor(x, scale, zero_point, at::kQUInt8)
      .dequantize();
}

class ReferencePtqOpsTest : public EngineTest {
 protected:
  ReferencePtqOpsTest() { at::manual_seed(1); }

  // A quantized layer gives what the float one gives for the quantized input
  // and weight, rounded; but for sums in another order, which may fall on the
  // other side of a tie.
  static void ExpectIsItsReference(const std::string& type,
                                   const std::string& op,
                                   const std::vector<int64_t>& weight_shape,
                                   const std::vector<int64_t>& input_shape) {
    const at::Tensor weight = at::randn(weight_shape);
    const bool is_transposed = op.find("transpose") != std::string::npos;
    const at::Tensor bias = at::randn({weight.size(is_transposed ? 1 : 0)});
    Module prepared = OrThrow(Prepare(Between(LayerOf(type, op, weight, bias)),
                                      {{"", DefaultQConfig()}}));
    const at::Tensor x = at::randn(input_shape);
    OutputOf(prepared, x);
    const Module quantized = OrThrow(Convert(prepared));
    EXPECT_EQ(TypeAtPath(quantized, "quant"),
              absl::StrCat(kModules, "Quantize"));
    EXPECT_EQ(TypeAtPath(quantized, "layer"), absl::StrCat(kModules, type));
    EXPECT_EQ(TypeAtPath(quantized, "dequant"),
              absl::StrCat(kModules, "DeQuantize"));

    const Module quant = ChildAt(quantized, "quant");
    const Module layer = ChildAt(quantized, "layer");
    const at::Tensor rounded_weight =
        OrThrow(QuantizedBySpec(weight, DefaultQConfig().weight)).dequantize();
    const at::Tensor exact =
        OutputOf(LayerOf(type, op, rounded_weight, bias),
                 Rounded(x, quant.attr("scale").toTensor().item<double>(),
                         quant.attr("zero_point").toTensor().item<int64_t>()));
    const double scale = layer.attr("scale").toDouble();
    const at::Tensor steps =
        ((OutputOf(quantized, x) -
          Rounded(exact, scale, layer.attr("zero_point").toInt())) /
         scale)
            .abs();
    EXPECT_LT(steps.max().item<double>(), 1.5) << type;
    EXPECT_LE((steps > 0.5).sum().item<int64_t>(), steps.numel() / 50) << type;
  }
};

TEST_P(ReferencePtqOpsTest, ConvolutionsAreTheirReferences) {
  ExpectIsItsReference("conv.Conv1d", "conv1d", {3, 2, 3}, {16, 2, 9});
  ExpectIsItsReference("conv.Conv2d", "conv2d", {3, 2, 3, 3}, {16, 2, 9, 9});
  if (GetParam() == at::kONEDNN) {
    ExpectIsItsReference("conv.Conv3d", "conv3d", {3, 2, 1, 3, 3},
                         {16, 2, 5, 5, 5});
  }
}

TEST_P(ReferencePtqOpsTest, TransposedConvolutionsAreTheirReferences) {
  ExpectIsItsReference("conv.ConvTranspose1d", "conv_transpose1d", {2, 3, 3},
                       {16, 2, 9});
  ExpectIsItsReference("conv.ConvTranspose2d", "conv_transpose2d", {2, 3, 3, 3},
                       {16, 2, 9, 9});
  if (GetParam() == at::kONEDNN) {
    ExpectIsItsReference("conv.ConvTranspose3d", "conv_transpose3d",
                         {2, 3, 1, 3, 3}, {16, 2, 5, 5, 5});
  }
}

TEST_P(ReferencePtqOpsTest, LinearIsItsReference) {
  ExpectIsItsReference("linear.Linear", "linear", {10, 5}, {16, 5});
}

TEST_P(ReferencePtqOpsTest, ReluStaysItselfAndLeakyReluDoesNot) {
  const auto type_of = [](const Module& layer) {
    const Module prepared =
        OrThrow(Prepare(Between(layer), {{"", DefaultQConfig()}}));
    return TypeAtPath(OrThrow(Convert(prepared)), "layer");
  };
  EXPECT_EQ(type_of(Relu()), "torch.nn.modules.activation.ReLU");
  EXPECT_EQ(
      type_of(Elementwise("activation.LeakyReLU", "torch.leaky_relu(x, 0.1)")),
      absl::StrCat(kModules, "activation.LeakyReLU"));
}

// A model that works on quantized tensors alone, without stubs.
TEST_P(ReferencePtqOpsTest, FunctionalsAreQuantizedInBothModes) {
  for (const bool is_trained : {false, true}) {
    Module model =
        MakeModel({{"mycat", FloatFunctional()},
                   {"myadd", FloatFunctional()},
                   {"myadd_relu", FloatFunctional()}},
                  {"y = self.mycat.cat([x, x, x])", "y = self.myadd.add(y, y)",
                   "return self.myadd_relu.add_relu(y, y)"});
    model.train(is_trained);
    Module prepared =
        is_trained ? OrThrow(PrepareQat(model, {{"", DefaultQatQConfig()}}))
                   : OrThrow(Prepare(model, {{"", DefaultQConfig()}}));
    EXPECT_THAT(ObservedPaths(prepared),
                ElementsAre("mycat", "myadd", "myadd_relu"));
    const at::Tensor x =
        at::quantize_per_tensor(at::rand({10, 1}), 0.01, 30, at::kQUInt8);
    const at::Tensor expected = OutputOf(prepared, x.dequantize());
    const Module quantized = OrThrow(Convert(prepared));
    for (const char* name : {"mycat", "myadd", "myadd_relu"}) {
      EXPECT_EQ(TypeAtPath(quantized, name),
                absl::StrCat(kModules, "functional_modules.QFunctional"));
    }
    ExpectStandsAlone(quantized, x);
    ExpectNear(OutputOf(quantized, x).dequantize(), expected);
  }
}

TEST_P(ReferencePtqOpsTest, UsersModulesAreObservedAndQuantizedAsOne) {
  const at::Tensor weights[] = {at::randn({1, 1, 1, 1}),
                                at::randn({1, 1, 1, 1})};
  const auto holder = [](const std::string& type, const std::string& name,
                         const Module& module) {
    return MakeModule(type,
                      absl::StrCat("def forward(self, x: Tensor) -> Tensor:\n",
                                   "    return self.", name, ".forward(x)\n"),
                      {}, {{name, module}});
  };
  const auto stubbed = [&](const Module& second) {
    return MakeModel({{"quant", QuantStub()},
                      {"conv", Conv2d(weights[0])},
                      {"sub", second},
                      {"dequant", DeQuantStub()}},
                     {"y = self.conv.forward(self.quant.forward(x))",
                      "return self.dequant.forward(self.sub.forward(y))"});
  };
  PrepareOptions prepare;
  prepare.observers.custom_modules["Custom"] =
      [&](const Module& custom) -> absl::StatusOr<Module> {
    return holder("Observed", "conv", custom.attr("conv").toModule());
  };
  ConvertOptions convert;
  convert.custom_modules["Observed"] =
      [&](const Module& observed) -> absl::StatusOr<Module> {
    // What was observed of the whole is what its convolution gives.
    ModuleEditor conv =
        OrThrow(ModuleEditor::Copy(observed.attr("conv").toModule()));
    NS_EXPECT_OK(SetQConfig(conv, "", OrThrow(QConfigOf(observed))));
    NS_EXPECT_OK(conv.HookOutput("", kObserverAttribute,
                                 observed.attr(kObserverAttribute)));
    return holder("Quantized", "conv", OrThrow(SwapModule(conv.root())));
  };
  const at::Tensor x = at::randn({1, 1, 1, 1});
  Module prepared = OrThrow(
      Prepare(stubbed(holder("Sub", "custom",
                             holder("Custom", "conv", Conv2d(weights[1])))),
              {{"", DefaultQConfig()}}, prepare));
  EXPECT_THAT(ObservedPaths(prepared),
              ElementsAre("quant", "conv", "sub.custom"));
  OutputOf(prepared, x);
  const Module quantized = OrThrow(Convert(prepared, convert));
  EXPECT_EQ(TypeAtPath(quantized, "conv"),
            absl::StrCat(kModules, "conv.Conv2d"));
  EXPECT_EQ(TypeAtPath(quantized, "sub"), "Sub");
  EXPECT_EQ(TypeAtPath(quantized, "sub.custom"), "Quantized");
  EXPECT_EQ(TypeAtPath(quantized, "sub.custom.conv"),
            absl::StrCat(kModules, "conv.Conv2d"));
  ExpectStandsAlone(quantized, x);

  Module plain =
      OrThrow(Prepare(stubbed(Conv2d(weights[1])), {{"", DefaultQConfig()}}));
  OutputOf(plain, x);
  EXPECT_TRUE(
      OutputOf(quantized, x).equal(OutputOf(OrThrow(Convert(plain)), x)));
}

NS_INSTANTIATE_ON_ENGINES(ReferencePtqOpsTest);

// 16 bits are a range of qint32, which no kernel takes: values are quantized
// and dequantized around a float layer, in the flat graph.
TEST(ReferenceSixteenBitsTest, WeightsHaveTheScaleOfTheirObserver) {
  ObserverSpec spec = SpecOf(ObserverKind::kMovingAverageMinMax);
  spec.config.dtype = at::kQInt32;
  spec.config.quant_min = -(1 << 15);
  spec.config.quant_max = (1 << 15) - 1;
  QConfig qconfig = {spec, spec};
  qconfig.weight.config.qscheme = at::kPerTensorSymmetric;
  QuantizeOptions options;
  options.reference = true;
  options.mapping = QConfigMapping();
  options.mapping->SetGlobal(qconfig);

  const at::Tensor weight = at::randn({1, 1, 1, 1});
  const Module model =
      MakeModel({{"conv", LayerOf("conv.ConvTranspose2d", "conv_transpose2d",
                                  weight, at::randn({1}))}},
                {"return self.conv.forward(x)"});
  const QuantizedModel quantized =
      OrThrow(QuantizeModel(OrThrow(ModelGraph::FromModule(model)),
                            {BatchOf(at::randn({16, 1, 10, 10}))}, options));
  ObserverConfig config = qconfig.weight.config;
  config.averaging_constant = 0.5;
  const ObserverPtr observer = OrThrow(MakeObserver(config));
  observer->Forward(weight);
  std::vector<at::Tensor> constants;
  for (const torch::jit::Node* node : quantized.model.graph().nodes()) {
    if (node->kind() == c10::prim::Constant &&
        node->output()->type()->isSubtypeOf(*c10::TensorType::get()) &&
        node->t(c10::attr::value).is_quantized()) {
      constants.push_back(node->t(c10::attr::value));
    }
  }
  ASSERT_EQ(constants.size(), 1);
  EXPECT_EQ(constants[0].scalar_type(), at::kQInt32);
  EXPECT_EQ(static_cast<float>(constants[0].q_scale()),
            observer->CalculateQParams().scale.item<float>());
}

}  // namespace
}  // namespace ns
