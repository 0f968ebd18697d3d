#include "passes/lowering/lower_to_fbgemm.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/ir/ir.h>

#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/graph/node_view.h"
#include "ir/graph/pass_context.h"
#include "ir/model/model_graph.h"
#include "tests/testing/engines.h"
#include "tests/testing/ir.h"
#include "tests/testing/modules.h"
#include "tests/testing/run_pass.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;

std::vector<PassRemark> Lower(const std::shared_ptr<torch::jit::Graph>& graph) {
  return RunPass(LowerToFbgemm(), graph).remarks;
}

void ExpectLowered(absl::string_view before, absl::string_view after) {
  const auto graph = GraphOf(before);
  EXPECT_THAT(Lower(graph), IsEmpty());
  ExpectIr(graph, after);
}

// Lowers, and expects the one remark `reason` about `op`.
void ExpectKept(const std::string& op, const std::string& reason,
                absl::string_view text) {
  const auto graph = GraphOf(text);
  EXPECT_THAT(Lower(graph),
              ElementsAre(AllOf(Field(&PassRemark::op, op),
                                Field(&PassRemark::reason, reason))));
}

TEST(LowerToFbgemmTest, RewritesWhatRunsOnQuantizedTensors) {
  ExpectLowered(R"IR(
graph(%x : Tensor):
  %scale : float = prim::Constant[value=0.5]()
  %zero_point : int = prim::Constant[value=7]()
  %quint8 : int = prim::Constant[value=13]()
  %q : Tensor = aten::quantize_per_tensor(%x, %scale, %zero_point, %quint8)
  %r : Tensor = aten::relu(%q)
  %s : Tensor = quantized::add_relu(%q, %r, %scale, %zero_point)
  %d : Tensor = aten::dequantize(%s)
  return (%d))IR",
                R"IR(
graph(%x : Tensor):
  %scale : float = prim::Constant[value=0.5]()
  %zero_point : int = prim::Constant[value=7]()
  %q : Tensor = ns::fbgemm_quantize(%x, %scale, %zero_point)
  %r : Tensor = ns::fbgemm_relu(%q)
  %s : Tensor = ns::fbgemm_add_relu(%q, %r, %scale, %zero_point)
  %d : Tensor = ns::fbgemm_dequantize(%s)
  return (%d))IR");
}

TEST(LowerToFbgemmTest, EntersBranchesAndLoops) {
  const auto graph = GraphOf(R"IR(
graph(%c : bool, %n : int, %x : Tensor):
  %true : bool = prim::Constant[value=1]()
  %scale : float = prim::Constant[value=0.5]()
  %zero_point : int = prim::Constant[value=7]()
  %y : Tensor = prim::If(%c)
    block0():
      %s : Tensor = quantized::add(%x, %x, %scale, %zero_point)
      -> (%s)
    block1():
      -> (%x)
  %z : Tensor = prim::Loop(%n, %true, %y)
    block0(%i : int, %carried : Tensor):
      %m : Tensor = quantized::mul(%carried, %x, %scale, %zero_point)
      -> (%true, %m)
  return (%z))IR");
  EXPECT_THAT(Lower(graph), IsEmpty());
  EXPECT_EQ(CountLoweredOps(*graph), 2);
  EXPECT_EQ(NodesOf(*graph, "ns::fbgemm_add").size(), 1);
  EXPECT_EQ(NodesOf(*graph, "ns::fbgemm_mul").size(), 1);
}

TEST(LowerToFbgemmTest, LeavesFloatOpsAlone) {
  const auto graph = GraphOf(R"IR(
graph(%x : Tensor):
  %r : Tensor = aten::relu(%x)
  %s : Tensor = aten::sigmoid(%r)
  return (%s))IR");
  EXPECT_THAT(Lower(graph), IsEmpty());
  EXPECT_EQ(CountLoweredOps(*graph), 0);
}

TEST(LowerToFbgemmTest, RewritesInPlaceOpsThatNobodyElseSees) {
  ExpectLowered(R"IR(
graph(%x : Tensor, %scale : float, %zero_point : int):
  %q : Tensor = quantized::add(%x, %x, %scale, %zero_point)
  %r : Tensor = aten::relu_(%q)
  return (%r))IR",
                R"IR(
graph(%x : Tensor, %scale : float, %zero_point : int):
  %q : Tensor = ns::fbgemm_add(%x, %x, %scale, %zero_point)
  %r : Tensor = ns::fbgemm_relu(%q)
  return (%r))IR");
}

TEST(LowerToFbgemmTest, KeepsInPlaceOpsWhenTheirInputIsUsedElsewhere) {
  ExpectKept("aten::relu_",
             "it works in place, and others may see what it writes to", R"IR(
graph(%x : Tensor, %scale : float, %zero_point : int):
  %q : Tensor = quantized::add(%x, %x, %scale, %zero_point)
  %r : Tensor = aten::relu_(%q)
  %s : Tensor = quantized::add(%q, %r, %scale, %zero_point)
  return (%s))IR");
}

TEST(LowerToFbgemmTest, KeepsInPlaceOpsOnViews) {
  ExpectKept("aten::relu_",
             "it works in place, and others may see what it writes to", R"IR(
graph(%x : Tensor, %scale : float, %zero_point : int):
  %one : int = prim::Constant[value=1]()
  %end : int = prim::Constant[value=-1]()
  %q : Tensor = quantized::add(%x, %x, %scale, %zero_point)
  %v : Tensor = aten::flatten(%q, %one, %end)
  %r : Tensor = aten::relu_(%v)
  %s : Tensor = quantized::add(%q, %x, %scale, %zero_point)
  return (%s))IR");
}

TEST(LowerToFbgemmTest, KeepsQuantizeToOtherDtypes) {
  ExpectKept("aten::quantize_per_tensor", "it does not quantize to quint8",
             R"IR(
graph(%x : Tensor, %scale : float, %zero_point : int):
  %qint8 : int = prim::Constant[value=12]()
  %q : Tensor = aten::quantize_per_tensor(%x, %scale, %zero_point, %qint8)
  return (%q))IR");
}

TEST(LowerToFbgemmTest, KeepsQuantizeWhoseParametersAreTensors) {
  ExpectKept("aten::quantize_per_tensor",
             "its scale and zero point are tensors that only a run tells",
             R"IR(
graph(%x : Tensor, %scale : Tensor, %zero_point : Tensor):
  %quint8 : int = prim::Constant[value=13]()
  %q : Tensor = aten::quantize_per_tensor(%x, %scale, %zero_point, %quint8)
  return (%q))IR");
}

TEST(LowerToFbgemmTest, KeepsLayersWhosePackedParametersAreNotConstant) {
  ExpectKept("quantized::conv2d", "its packed parameters are not constant",
             R"IR(
graph(%x : Tensor, %packed : __torch__.torch.classes.quantized.Conv2dPackedParamsBase, %scale : float, %zero_point : int):
  %y : Tensor = quantized::conv2d(%x, %packed, %scale, %zero_point)
  return (%y))IR");
}

TEST(LowerToFbgemmTest, KeepsOpsWithoutAKernelOfOurs) {
  ExpectKept("quantized::threshold", "there is no ns kernel for it",
             R"IR(
graph(%x : Tensor, %t : float, %v : float):
  %y : Tensor = quantized::threshold(%x, %t, %v)
  return (%y))IR");
}

TEST(LowerToFbgemmTest, KeepsOpsWhoseArgumentsTheKernelDoesNotTake) {
  constexpr char kText[] = R"IR(
graph(%x : Tensor, %factor : Tensor):
  %y : Tensor = quantized::mul(%x, %x, %factor)
  return (%y))IR";
  ExpectKept("quantized::mul",
             "ns::fbgemm_mul does not take (Tensor, Tensor, Tensor)", kText);
}

TEST(LowerToFbgemmTest, KeepsOpsOnQuantizedTensorsOfOtherDtypes) {
  const auto graph = GraphOf(R"IR(
graph(%x : Tensor):
  %scale : float = prim::Constant[value=0.5]()
  %zero_point : int = prim::Constant[value=7]()
  %qint8 : int = prim::Constant[value=12]()
  %q : Tensor = aten::quantize_per_tensor(%x, %scale, %zero_point, %qint8)
  %r : Tensor = aten::relu(%q)
  return (%r))IR");
  const std::vector<PassRemark> remarks = Lower(graph);
  EXPECT_EQ(CountLoweredOps(*graph), 0);
  ASSERT_EQ(remarks.size(), 2);
  EXPECT_EQ(remarks[1].op, "aten::relu");
  EXPECT_EQ(remarks[1].reason,
            "its input is not quantized to quint8 with one scale");
}

using LowerToFbgemmLayersTest = EngineTest;
NS_INSTANTIATE_ON_ENGINES(LowerToFbgemmLayersTest);

TEST_P(LowerToFbgemmLayersTest, StayWhereTheEngineCannotUnpackThem) {
  const c10::IValue packed =
      CallOp("quantized::conv3d_prepack",
             {QuantizeWeight(at::randn({4, 3, 3, 3, 3})), c10::IValue(),
              std::vector<int64_t>{1, 1, 1}, std::vector<int64_t>{0, 0, 0},
              std::vector<int64_t>{1, 1, 1}, int64_t{1}});
  ModelGraph model = OrThrow(ModelGraph::FromModule(
      MakeModule("Layer",
                 "def forward(self, x: Tensor):\n"
                 "    return ops.quantized.conv3d(x, self.packed, 0.1, 9)\n",
                 {{"packed", packed}})));
  const std::vector<PassRemark> remarks = Lower(model.shared_graph());
  if (GetParam() == at::kQNNPACK) {
    EXPECT_THAT(
        remarks,
        ElementsAre(Field(
            &PassRemark::reason,
            testing::StartsWith("its packed parameters cannot be repacked: "
                                "QNNPACK only supports conv2d_unpack"))));
  } else {
    EXPECT_THAT(remarks, IsEmpty());
  }
}

// A conv, a conv-relu and a linear on the quantized values of a float input.
ModelGraph SmallModel() {
  at::manual_seed(1);
  return OrThrow(ModelGraph::FromModule(
      MakeModel({{"quant", Quantize()},
                 {"conv1", QuantizedConv2d(at::randn({6, 3, 3, 3}), true)},
                 {"conv2", QuantizedConv2d(at::randn({8, 6, 1, 1}), false)},
                 {"fc", QuantizedLinear(at::randn({5, 8}), false)},
                 {"dequant", DeQuantize()}},
                {"x = self.conv1.forward(self.quant.forward(x))",
                 "x = torch.relu_(self.conv2.forward(x))",
                 "x = torch.flatten(x.permute(0, 2, 3, 1), 0, 2)",
                 "return self.dequant.forward(self.fc.forward(x))"})));
}

TEST_P(LowerToFbgemmLayersTest, GiveLibTorchsQuantizedValuesToOneStep) {
  ModelGraph quantized = SmallModel();
  ModelGraph lowered = OrThrow(quantized.Clone());
  EXPECT_THAT(Lower(lowered.shared_graph()), IsEmpty());
  EXPECT_EQ(CountLoweredOps(lowered.graph()), 5);
  const at::Tensor x = at::randn({2, 3, 9, 9});
  const at::Tensor a = OrThrow(quantized.Run({x})).toTensor();
  const at::Tensor b = OrThrow(lowered.Run({x})).toTensor();
  EXPECT_LE(a.sub(b).abs().max().item<float>(), 0.05f + 1e-6f);
  EXPECT_LE(a.ne(b).to(at::kFloat).mean().item<float>(), 0.02f);
}

TEST_P(LowerToFbgemmLayersTest, FuseReluAndKeepPathsAndNames) {
  ModelGraph lowered = SmallModel();
  Lower(lowered.shared_graph());
  EXPECT_EQ(NodesOf(lowered.graph(), "ns::fbgemm_conv2d_relu").size(), 2);
  EXPECT_EQ(NodesOf(lowered.graph(), "ns::fbgemm_linear").size(), 1);
  EXPECT_EQ(NodesOf(lowered.graph(), "ns::fbgemm_relu").size(), 0);
}

TEST_P(LowerToFbgemmLayersTest, RepackSharedParametersOnce) {
  ModelGraph model = OrThrow(ModelGraph::FromModule(
      MakeModel({{"quant", Quantize()},
                 {"fc", QuantizedLinear(at::randn({4, 4}), false)},
                 {"dequant", DeQuantize()}},
                {"x = self.fc.forward(self.quant.forward(x))",
                 "return self.dequant.forward(self.fc.forward(x))"})));
  Lower(model.shared_graph());
  const auto layers = NodesOf(model.graph(), "ns::fbgemm_linear");
  ASSERT_EQ(layers.size(), 2);
  EXPECT_EQ(ConstantOf(*layers[0]->input(1))->toObject(),
            ConstantOf(*layers[1]->input(1))->toObject());
}

TEST_P(LowerToFbgemmLayersTest, AreLoweredOnceAndNotAgain) {
  ModelGraph lowered = SmallModel();
  Lower(lowered.shared_graph());
  const PassRun again = RunPass(LowerToFbgemm(), lowered);
  EXPECT_FALSE(again.changed);
  EXPECT_THAT(again.remarks, IsEmpty());
}

}  // namespace
}  // namespace ns
