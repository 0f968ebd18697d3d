#include "ns/quantization/eager/prepare_and_convert.h"

#include <ATen/Context.h>
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/jit/api/module.h>

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/hierarchy/module_editor.h"
#include "ns/eager/module_tree.h"
#include "ns/quantization/eager/quantize.h"
#include "ns/quantization/eager/stubs.h"
#include "ns/quantization/model/quantized_engine.h"
#include "passes/quantization/qconfig/default_observers.h"
#include "passes/quantization/qconfig/default_qconfigs.h"
#include "tests/ns/quantization/eager/two_linears.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Key;
using ::testing::UnorderedElementsAre;
using ::torch::jit::Module;

Module Calibrated(const Module& prepared) {
  Module model = prepared;
  model.forward({at::randn({5, 3})});
  return model;
}

TEST(PrepareAndConvertTest, ObservesAndQuantizes) {
  const Module model = TwoLinears();
  const at::Tensor x = at::randn({5, 3});
  const Module prepared = OrThrow(Prepare(model, {{"", DefaultQConfig()}}));
  EXPECT_TRUE(OutputOf(prepared, x).equal(OutputOf(model, x)));
  EXPECT_THAT(GetObserverDict(prepared),
              UnorderedElementsAre(Key("a.activation_post_process"),
                                   Key("b.activation_post_process"),
                                   Key("quant.activation_post_process")));
  const Module quantized = OrThrow(Convert(prepared));
  EXPECT_EQ(TypeAt(quantized, "a"),
            "torch.ao.nn.quantized.modules.linear.Linear");
  const at::Tensor expected = OutputOf(model, x);
  EXPECT_LT((OutputOf(quantized, x) - expected).norm().item<float>(),
            0.05 * expected.norm().item<float>());
  EXPECT_THAT(GetObserverDict(quantized), IsEmpty());
  for (const auto& module : quantized.named_modules()) {
    EXPECT_FALSE(module.value.hasattr(kQConfigAttribute)) << module.name;
  }
  EXPECT_EQ(TypeAt(model, "a"), "torch.nn.modules.linear.Linear");
}

TEST(PrepareAndConvertTest, UsersBringTheirOwnModules) {
  const auto twice = [](const Module&) -> absl::StatusOr<Module> {
    return MakeModule("Twice",
                      "def forward(self, x: Tensor) -> Tensor:\n"
                      "  return torch.dequantize(x) * 2\n");
  };
  ConvertOptions options;
  options.mapping["Linear"] = "my.Twice";
  const Module prepared =
      Calibrated(OrThrow(Prepare(TwoLinears(), {{"", DefaultQConfig()}})));
  options.mapping.erase("torch.nn.modules.linear.Linear");
  EXPECT_THAT(MessageOf(Convert(prepared, options)),
              HasSubstr("module 'a' cannot be quantized: no quantized module "
                        "of type 'my.Twice' can be made"));
  options.factories["my.Twice"] = twice;
  EXPECT_EQ(TypeAt(OrThrow(Convert(prepared, options)), "a"), "Twice");

  ConvertOptions custom;
  custom.custom_modules["Linear"] = twice;
  EXPECT_EQ(TypeAt(OrThrow(Convert(prepared, custom)), "b"), "Twice");
}

TEST(PrepareAndConvertTest, SwapsOneModule) {
  const Module prepared =
      Calibrated(OrThrow(Prepare(TwoLinears(), {{"a", DefaultQConfig()}})));
  EXPECT_EQ(TypeNameOf(OrThrow(SwapModule(prepared.attr("a").toModule()))),
            "torch.ao.nn.quantized.modules.linear.Linear");
  // Without a qconfig, it stays.
  const Module b = prepared.attr("b").toModule();
  EXPECT_EQ(OrThrow(SwapModule(b))._ivalue(), b._ivalue());
}

// Where they are is what tells them apart.
TEST(PrepareAndConvertTest, ParametersOfANormMayShareTheirMemory) {
  Module norm = BatchNorm2d(3);
  const at::Tensor both = at::randn({6});
  norm.setattr("weight", both.slice(0, 0, 3));
  norm.setattr("bias", both.slice(0, 3, 6));
  const Module model = MakeModel(
      {{"quant", QuantStub()}, {"norm", norm}, {"dequant", DeQuantStub()}},
      {"y = self.norm.forward(self.quant.forward(x))",
       "return self.dequant.forward(y)"});
  const at::Tensor x = at::randn({2, 3, 5, 5});
  Module prepared = OrThrow(Prepare(model, {{"", DefaultQConfig()}}));
  const at::Tensor expected = OutputOf(prepared, x);
  const Module quantized = OrThrow(Convert(prepared));
  EXPECT_LT((OutputOf(quantized, x) - expected).norm().item<float>(),
            0.05 * expected.norm().item<float>());
}

TEST(PrepareAndConvertTest, QuantizedReLU6TakesEveryMemoryLayout) {
  const Module relu6 = MakeModule("torch.nn.modules.activation.ReLU6",
                                  "def forward(self, x: Tensor) -> Tensor:\n"
                                  "  return torch.hardtanh(x, 0.0, 6.0)\n");
  const Module model = MakeModel(
      {{"quant", QuantStub()}, {"relu6", relu6}, {"dequant", DeQuantStub()}},
      {"y = self.relu6.forward(self.quant.forward(x))",
       "return self.dequant.forward(y)"});
  const at::Tensor x = 4 * at::randn({2, 3, 4, 5});
  const at::Tensor last = x.contiguous(at::MemoryFormat::ChannelsLast);
  for (const at::QEngine engine : {at::kQNNPACK, at::kONEDNN}) {
    const ScopedEngine scope(engine);
    Module prepared = OrThrow(Prepare(model, {{"", DefaultQConfig()}}));
    OutputOf(prepared, x);
    const Module quantized = OrThrow(Convert(prepared));
    EXPECT_TRUE(OutputOf(quantized, last).equal(OutputOf(quantized, x)));
  }
}

TEST(PrepareAndConvertTest, FixedObserversNeedToSeeNothing) {
  QConfig qconfig = DefaultQConfig();
  qconfig.activation = DefaultFixedQParamsRange0To1Observer();
  const Module quantized =
      OrThrow(Convert(OrThrow(Prepare(TwoLinears(), {{"quant", qconfig}}))));
  const Module quant = quantized.attr("quant").toModule();
  EXPECT_EQ(quant.attr("scale").toTensor().item<float>(), 1.0f / 256);
}

TEST(PrepareAndConvertTest, WarnsOfWhatIsOdd) {
  std::vector<std::string> warnings;
  PrepareOptions prepare;
  prepare.warnings = &warnings;
  (void)OrThrow(Prepare(TwoLinears(), {}, prepare));
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("no module has a qconfig")));
  warnings.clear();
  ConvertOptions convert;
  convert.warnings = &warnings;
  const Module prepared =
      OrThrow(Prepare(TwoLinears(), {{"quant", DefaultQConfig()}}));
  (void)OrThrow(Convert(prepared, convert));
  EXPECT_THAT(warnings,
              ElementsAre(HasSubstr("quant: its observer has seen no value")));
}

TEST(PrepareAndConvertTest, SaysWhatIsWrong) {
  EXPECT_THAT(MessageOf(Prepare(TwoLinears(), {{"c", DefaultQConfig()}})),
              HasSubstr("the model has no module or type of modules 'c'"));
  ModuleEditor editor = OrThrow(ModuleEditor::Copy(TwoLinears()));
  NS_ASSERT_OK(PropagateQConfig(editor, {{"", DefaultQConfig()}}));
  EXPECT_THAT(MessageOf(Convert(editor.root())),
              HasSubstr("module 'quant' cannot be quantized: it has no "
                        "observer; call Prepare"));
  const Module tuple =
      MakeModule("Pair",
                 "def forward(self, x: Tensor) -> Tuple[Tensor, Tensor]:\n"
                 "  return x, x\n");
  PrepareOptions options;
  options.observers.observed_types = {"Pair"};
  EXPECT_THAT(MessageOf(Prepare(MakeModel({{"pair", tuple}},
                                          {"return self.pair.forward(x)[0]"}),
                                {{"", DefaultQConfig()}}, options)),
              HasSubstr("module 'pair' cannot be hooked: it returns Tuple"));
  QuantizeDynamicOptions dynamic;
  dynamic.dtype = at::kInt;
  EXPECT_THAT(MessageOf(QuantizeDynamicModules(TwoLinears(), dynamic)),
              HasSubstr("give qint8, float16, quint8 or quint4x2"));
}

TEST(PrepareAndConvertTest, DynamicModulesAreChosenByNameOrType) {
  QuantizeDynamicOptions options;
  options.modules = {"b"};
  const Module quantized =
      OrThrow(QuantizeDynamicModules(TwoLinears(), options));
  EXPECT_EQ(TypeAt(quantized, "a"), "torch.nn.modules.linear.Linear");
  EXPECT_EQ(TypeAt(quantized, "b"),
            "torch.ao.nn.quantized.dynamic.modules.linear.Linear");
  options.modules = {};
  options.qconfigs = {{"Linear", PerChannelDynamicQConfig()},
                      {"b", std::nullopt}};
  EXPECT_EQ(TypeAt(OrThrow(QuantizeDynamicModules(TwoLinears(), options)), "a"),
            "torch.ao.nn.quantized.dynamic.modules.linear.Linear");
}

TEST(PrepareAndConvertTest, HalfPrecisionRoundsWeights) {
  const Module model = TwoLinears();
  QuantizeDynamicOptions options;
  options.dtype = at::kHalf;
  const Module rounded = OrThrow(QuantizeDynamicModules(model, options));
  const at::Tensor weight =
      model.attr("a").toModule().attr("weight").toTensor();
  EXPECT_TRUE(rounded.attr("a").toModule().attr("weight").toTensor().equal(
      weight.to(at::kHalf).to(at::kFloat)));
}

TEST(PrepareAndConvertTest, InPlaceSharesTensors) {
  const Module model = TwoLinears();
  const auto weight = [](const Module& module) {
    return module.attr("a").toModule().attr("weight").toTensor();
  };
  PrepareOptions options;
  EXPECT_FALSE(
      weight(OrThrow(Prepare(model, {{"", DefaultQConfig()}}, options)))
          .is_same(weight(model)));
  options.inplace = true;
  EXPECT_TRUE(weight(OrThrow(Prepare(model, {{"", DefaultQConfig()}}, options)))
                  .is_same(weight(model)));
}

}  // namespace
}  // namespace ns
