#include "ns/quantization/eager/decompose_layers.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/api/module.h>

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/hierarchy/module_editor.h"
#include "ns/eager/module_tree.h"
#include "ns/quantization/eager/module_qconfig.h"
#include "passes/quantization/qconfig/default_qconfigs.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::HasSubstr;
using ::torch::jit::Module;

constexpr char kLstm[] = "torch.nn.modules.rnn.LSTM";
constexpr char kQuantizable[] = "torch.ao.nn.quantizable.modules.rnn.LSTM";

// An LSTM from 3 features to 4, without biases.
Module Lstm() {
  return MakeModule(kLstm,
                    "def forward(self, input: Tensor, hx: "
                    "Optional[Tuple[Tensor, Tensor]]) "
                    "-> Tuple[Tensor, Tuple[Tensor, Tensor]]:\n"
                    "  return input, (input, input)\n",
                    {{"weight_ih_l0", at::rand({16, 3})},
                     {"weight_hh_l0", at::rand({16, 4})}});
}

// Calls `lstm`; `more` lines come before.
ModuleEditor Model(const Module& lstm, std::vector<std::string> more = {}) {
  more.emplace_back("return self.lstm.forward(x, None)[0]");
  return OrThrow(ModuleEditor::Copy(MakeModel({{"lstm", lstm}}, more)));
}

std::string TypeIn(const ModuleEditor& editor, const std::string& path) {
  return TypeNameOf(OrThrow(editor.At(path)));
}

bool None(absl::string_view) { return false; }

TEST(DecomposeLayersTest, PartsGetTheQConfigOfTheLayer) {
  ModuleEditor editor = Model(Lstm());
  NS_ASSERT_OK(SetQConfig(editor, "lstm", DefaultQConfig()));
  NS_ASSERT_OK(DecomposeLayers(editor, None));
  EXPECT_EQ(TypeIn(editor, "lstm"), kQuantizable);
  const Module gates = OrThrow(editor.At("lstm.layers.0.layer_fw.cell.igates"));
  EXPECT_EQ(OrThrow(QConfigOf(gates)), DefaultQConfig());
}

TEST(DecomposeLayersTest, OtherLayersStay) {
  ModuleEditor without = Model(Lstm());
  NS_ASSERT_OK(DecomposeLayers(without, None));
  EXPECT_EQ(TypeIn(without, "lstm"), kLstm);
  ModuleEditor dynamic = Model(Lstm());
  NS_ASSERT_OK(SetQConfig(dynamic, "lstm", DefaultDynamicQConfig()));
  NS_ASSERT_OK(DecomposeLayers(dynamic, None));
  EXPECT_EQ(TypeIn(dynamic, "lstm"), kLstm);
  ModuleEditor left = Model(Lstm());
  NS_ASSERT_OK(SetQConfig(left, "lstm", DefaultQConfig()));
  NS_ASSERT_OK(DecomposeLayers(
      left, [](absl::string_view type) { return type == kLstm; }));
  EXPECT_EQ(TypeIn(left, "lstm"), kLstm);
  EXPECT_TRUE(IsDecomposed(kLstm));
  EXPECT_FALSE(IsDecomposed("torch.nn.modules.linear.Linear"));
}

TEST(DecomposeLayersTest, ALayerWhoseWeightOthersReadStays) {
  ModuleEditor editor = Model(Lstm(), {"x = x + self.lstm.weight_ih_l0.sum()"});
  NS_ASSERT_OK(SetQConfig(editor, "lstm", DefaultQConfig()));
  NS_ASSERT_OK(DecomposeLayers(editor, None));
  EXPECT_EQ(TypeIn(editor, "lstm"), kLstm);
}

TEST(DecomposeLayersTest, OneThatWasNotScriptedIsNamed) {
  const Module traced =
      MakeModule(kLstm, "def forward(self, x: Tensor) -> Tensor:\n  return x\n",
                 {{"weight_ih_l0", at::rand({16, 3})},
                  {"weight_hh_l0", at::rand({16, 4})}});
  ModuleEditor editor = OrThrow(ModuleEditor::Copy(
      MakeModel({{"lstm", traced}}, {"return self.lstm.forward(x)"})));
  NS_ASSERT_OK(SetQConfig(editor, "lstm", DefaultQConfig()));
  EXPECT_THAT(std::string(DecomposeLayers(editor, None).message()),
              HasSubstr("lstm: its code is not that of a scripted LSTM"));
}

TEST(DecomposeLayersTest, FinishedLayersHaveTheQuantizedClass) {
  ModuleEditor editor = Model(Lstm());
  NS_ASSERT_OK(SetQConfig(editor, "lstm", DefaultQConfig()));
  NS_ASSERT_OK(DecomposeLayers(editor, None));
  NS_ASSERT_OK(FinishDecomposed(editor));
  EXPECT_EQ(TypeIn(editor, "lstm"), "torch.ao.nn.quantized.modules.rnn.LSTM");
}

}  // namespace
}  // namespace ns
