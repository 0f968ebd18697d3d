#include "ir/model/model_graph.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/jit/ir/ir.h>

#include <filesystem>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/base/engine_error.h"
#include "ir/flatten/inline_modules.h"
#include "ir/graph/module_path.h"
#include "ir/text/text.h"
#include "tests/testing/ir.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"
#include "tests/testing/temporary_file.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;
using ::torch::jit::Module;

at::Tensor RunOn(ModelGraph& model, const at::Tensor& x) {
  return OrThrow(model.Run({x})).toTensor();
}

Module ConvBnRelu() {
  at::manual_seed(1);
  return MakeModel(
      {{"conv", Conv2d(at::rand({3, 2, 3, 3}))},
       {"bn", BatchNorm2d(3)},
       {"relu", Relu()}},
      {"return self.relu.forward(self.bn.forward(self.conv.forward(x)))"});
}

Module WithDropout() {
  return MakeModule("Model",
                    "def forward(self, x: Tensor) -> Tensor:\n"
                    "    return torch.dropout(x, 0.5, self.training)\n");
}

class ModelGraphTest : public testing::Test {
 protected:
  const at::Tensor image_ = at::arange(200, at::kFloat).reshape({1, 2, 10, 10});
};

// They are two layers: the other model may have them apart.
TEST_F(ModelGraphTest, KeepsEqualOpsApart) {
  ModelGraph model = OrThrow(ModelGraph::FromModule(
      MakeModel({}, {"y = torch.add(x, 1.0)", "z = torch.add(x, 1.0)",
                     "return torch.cat([y, z])"})));
  const std::vector<torch::jit::Node*> adds =
      NodesOf(model.graph(), "aten::add");
  ASSERT_THAT(adds, SizeIs(2));
  for (const torch::jit::Node* add : adds) {
    EXPECT_THAT(add->attributeNames(), IsEmpty());
  }
  EXPECT_TRUE(RunOn(model, image_).equal(at::cat({image_ + 1, image_ + 1})));
}

TEST_F(ModelGraphTest, DequantizesOneValueOnce) {
  const ModelGraph model = OrThrow(ModelGraph::FromModule(MakeModel(
      {{"quant", Quantize()}},
      {"x = self.quant.forward(x)",
       "return torch.relu(x.dequantize()) + torch.tanh(x.dequantize())"})));
  EXPECT_THAT(NodesOf(model.graph(), "aten::dequantize"), SizeIs(1));
}

TEST_F(ModelGraphTest, ComputesWhatTheModuleDoes) {
  Module module = ConvBnRelu();
  ModelGraph model = OrThrow(ModelGraph::FromModule(module));
  EXPECT_TRUE(RunOn(model, image_)
                  .equal(module.get_method("forward")({image_}).toTensor()));
}

TEST_F(ModelGraphTest, KeepsBatchNormApart) {
  const ModelGraph model = OrThrow(ModelGraph::FromModule(ConvBnRelu()));
  EXPECT_THAT(NodesOf(model.graph(), "aten::batch_norm"), SizeIs(1));
}

TEST_F(ModelGraphTest, TurnsParametersIntoConstants) {
  const ModelGraph model = OrThrow(ModelGraph::FromModule(ConvBnRelu()));
  EXPECT_THAT(NodesOf(model.graph(), "prim::GetAttr"), IsEmpty());
  EXPECT_THAT(NodesOf(model.graph(), "prim::CallMethod"), IsEmpty());
}

// As the attention of a swin transformer adds its relative positions.
TEST_F(ModelGraphTest, ComputesAllThatIsConstant) {
  std::string source = "def forward(self, x: Tensor) -> Tensor:\n";
  for (int i = 0; i < 40; ++i) {
    source +=
        "    t = torch.view(self.table, [2, 5, 10])\n"
        "    t = torch.contiguous(torch.permute(t, [2, 0, 1]))\n"
        "    x = torch.add(x, torch.unsqueeze(t, 0))\n"
        "    if self.activates:\n"
        "        x = torch.relu_(x)\n";
  }
  source += "    return x\n";
  const Module module = MakeModule(
      "Model", source, {{"table", at::rand({10, 10})}, {"activates", true}});
  for (int i = 0; i < 5; ++i) {
    const ModelGraph model = OrThrow(ModelGraph::FromModule(module));
    for (const char* op : {"aten::view", "aten::permute", "aten::contiguous",
                           "aten::unsqueeze"}) {
      EXPECT_THAT(NodesOf(model.graph(), op), IsEmpty()) << op;
    }
  }
}

TEST_F(ModelGraphTest, KeepsModulePaths) {
  const ModelGraph model = OrThrow(ModelGraph::FromModule(ConvBnRelu()));
  EXPECT_EQ(ModulePathOf(*NodeOf(model.graph(), "aten::conv2d")).fqn, "conv");
  EXPECT_EQ(ModulePathOf(*NodeOf(model.graph(), "aten::relu")).fqn, "relu");
}

TEST_F(ModelGraphTest, LeavesSourceModuleAsItWas) {
  const Module module = ConvBnRelu();
  const std::string before = module.dump_to_str(true, true, true);
  ModelGraph model = OrThrow(ModelGraph::FromModule(module));
  RunOn(model, image_);
  EXPECT_EQ(module.dump_to_str(true, true, true), before);
  EXPECT_TRUE(module.hasattr("conv"));
}

TEST_F(ModelGraphTest, SwitchesCopyToEvaluationAndNotTheSource) {
  Module module = WithDropout();
  module.train();
  ModelGraph model = OrThrow(ModelGraph::FromModule(module));
  EXPECT_TRUE(RunOn(model, image_).equal(image_));
  EXPECT_TRUE(module.is_training());
}

TEST_F(ModelGraphTest, SharesTensorsWithSource) {
  const Module module = ConvBnRelu();
  const ModelGraph model = OrThrow(ModelGraph::FromModule(module));
  const at::Tensor weight =
      module.attr("conv").toModule().attr("weight").toTensor();
  EXPECT_TRUE(NodeOf(model.graph(), "aten::conv2d")
                  ->input(1)
                  ->node()
                  ->t(c10::attr::value)
                  .is_alias_of(weight));
}

TEST_F(ModelGraphTest, TakesAnotherMethod) {
  const Module module = MakeModule("Model",
                                   "def forward(self, x: Tensor):\n"
                                   "    return torch.relu(x)\n"
                                   "def encode(self, x: Tensor):\n"
                                   "    return torch.neg(x)\n");
  ModelGraph model = OrThrow(ModelGraph::FromModule(module, {"encode"}));
  EXPECT_EQ(model.method(), "encode");
  EXPECT_THAT(NodesOf(model.graph(), "aten::neg"), SizeIs(1));
  EXPECT_TRUE(RunOn(model, image_).equal(-image_));
}

TEST_F(ModelGraphTest, TakesMethodOfModuleWithoutForward) {
  const Module module = MakeModule("Model",
                                   "def encode(self, x: Tensor):\n"
                                   "    return torch.neg(x)\n");
  ModelGraph model = OrThrow(ModelGraph::FromModule(module, {"encode"}));
  EXPECT_TRUE(RunOn(model, image_).equal(-image_));
}

TEST_F(ModelGraphTest, NamesMethodThatDoesNotExist) {
  const auto model = ModelGraph::FromModule(ConvBnRelu(), {"decode"});
  EXPECT_EQ(MessageOf(model), "the module has no method 'decode'");
}

TEST_F(ModelGraphTest, DropsShapeChecks) {
  const Module module = MakeModule("Model",
                                   "def forward(self, x: Tensor):\n"
                                   "    assert x.dim() == 4, 'no image'\n"
                                   "    return torch.relu(x)\n");
  const ModelGraph model = OrThrow(ModelGraph::FromModule(module));
  EXPECT_THAT(AllNodes(model.graph()),
              ElementsAre(NodeOf(model.graph(), "aten::relu")));
}

TEST_F(ModelGraphTest, LoadsFile) {
  Module module = ConvBnRelu();
  const std::string path = TemporaryPath("model.pt");
  module.save(path);
  ModelGraph model = OrThrow(ModelGraph::FromFile(path));
  EXPECT_TRUE(RunOn(model, image_)
                  .equal(module.get_method("forward")({image_}).toTensor()));
}

TEST_F(ModelGraphTest, NamesFileWhoseMethodDoesNotExist) {
  const std::string path = TemporaryPath("model.pt");
  ConvBnRelu().save(path);
  EXPECT_EQ(MessageOf(ModelGraph::FromFile(path, {"decode"})),
            path + ": the module has no method 'decode'");
}

TEST_F(ModelGraphTest, SavedModelComputesTheSame) {
  ModelGraph model = OrThrow(ModelGraph::FromModule(ConvBnRelu()));
  const std::string path = TemporaryPath("saved.pt");
  NS_ASSERT_OK(model.Save(path));
  ModelGraph loaded = OrThrow(ModelGraph::FromFile(path));
  EXPECT_TRUE(RunOn(loaded, image_).equal(RunOn(model, image_)));
}

TEST_F(ModelGraphTest, SavesPackedParameters) {
  const Module module = MakeModel(
      {{"quant", Quantize()},
       {"conv", QuantizedConv2d(at::ones({3, 2, 3, 3}), true)}},
      {"return torch.dequantize(self.conv.forward(self.quant.forward(x)))"});
  ModelGraph model = OrThrow(ModelGraph::FromModule(module));
  const std::string path = TemporaryPath("saved.pt");
  NS_ASSERT_OK(model.Save(path));
  ModelGraph loaded = OrThrow(ModelGraph::FromFile(path));
  EXPECT_TRUE(RunOn(loaded, image_).equal(RunOn(model, image_)));
}

TEST_F(ModelGraphTest, CannotSaveIntoMissingFolder) {
  const ModelGraph model = OrThrow(ModelGraph::FromModule(ConvBnRelu()));
  EXPECT_THAT(std::string(model.Save("/no/such/folder/m.pt").message()),
              StartsWith("/no/such/folder/m.pt: "));
}

TEST_F(ModelGraphTest, CloneHasItsOwnGraph) {
  ModelGraph model = OrThrow(ModelGraph::FromModule(ConvBnRelu()));
  ModelGraph clone = OrThrow(model.Clone());
  const at::Tensor expected = RunOn(model, -image_);
  torch::jit::Node* relu = NodeOf(clone.graph(), "aten::relu");
  relu->output()->replaceAllUsesWith(relu->input());
  relu->destroy();
  EXPECT_THAT(NodesOf(model.graph(), "aten::relu"), SizeIs(1));
  EXPECT_TRUE(RunOn(model, -image_).equal(expected));
  EXPECT_FALSE(RunOn(clone, -image_).equal(expected));
}

TEST_F(ModelGraphTest, CloneHasItsOwnAttributes) {
  ModelGraph model = OrThrow(ModelGraph::FromModule(ConvBnRelu()));
  ModelGraph clone = OrThrow(model.Clone());
  clone.module().register_attribute("extra", c10::IntType::get(), int64_t{1});
  EXPECT_FALSE(model.module().hasattr("extra"));
}

TEST_F(ModelGraphTest, ClonesKeepTheirOwnState) {
  Module counter = MakeModule("Counter",
                              "def forward(self, x: Tensor) -> Tensor:\n"
                              "  self.count.add_(1)\n"
                              "  return x + self.count\n",
                              {{"count", at::zeros({1})}});
  ModelGraph model = OrThrow(ModelGraph::FromModule(counter));
  ModelGraph clone = OrThrow(model.Clone());
  const auto run = [](ModelGraph& graph) {
    return OrThrow(graph.Run({at::zeros({1})})).toTensor().item<float>();
  };
  EXPECT_EQ(run(clone), 1);
  EXPECT_EQ(run(clone), 2);
  EXPECT_EQ(run(model), 1);
  ModelGraph later = OrThrow(clone.Clone());
  EXPECT_EQ(run(later), 3);
  EXPECT_EQ(run(clone), 3);
}

TEST_F(ModelGraphTest, ClonesKeepTheirOwnDicts) {
  c10::Dict<std::string, at::Tensor> seen;
  seen.insert("sum", at::zeros({1}));
  Module keeper = MakeModule("Keeper",
                             "def forward(self, x: Tensor) -> Tensor:\n"
                             "  self.seen['sum'] = self.seen['sum'] + x\n"
                             "  return self.seen['sum'] * 1\n",
                             {{"seen", seen}});
  ModelGraph model = OrThrow(ModelGraph::FromModule(keeper));
  ModelGraph clone = OrThrow(model.Clone());
  const auto run = [](ModelGraph& graph) {
    return OrThrow(graph.Run({at::ones({1})})).toTensor().item<float>();
  };
  EXPECT_EQ(run(clone), 1);
  EXPECT_EQ(run(clone), 2);
  EXPECT_EQ(run(model), 1);
}

TEST_F(ModelGraphTest, CloneKeepsModulePaths) {
  const ModelGraph model = OrThrow(ModelGraph::FromModule(ConvBnRelu()));
  const ModelGraph clone = OrThrow(model.Clone());
  EXPECT_EQ(ModulePathOf(*NodeOf(clone.graph(), "aten::conv2d")).fqn, "conv");
}

TEST_F(ModelGraphTest, CloneOfGraphComputesTheSame) {
  ModelGraph model = ModelOf(R"IR(
graph(%x : Tensor):
  %y : Tensor = aten::neg(%x)
  return (%y))IR");
  ModelGraph clone = OrThrow(model.Clone());
  EXPECT_TRUE(RunOn(clone, image_).equal(-image_));
}

TEST_F(ModelGraphTest, WrapsGraph) {
  const auto graph = GraphOf(R"IR(
graph(%x : Tensor):
  %y : Tensor = aten::neg(%x)
  return (%y))IR");
  ModelGraph model = OrThrow(ModelGraph::FromGraph(graph));
  EXPECT_EQ(graph->inputs().size(), 1);
  EXPECT_EQ(model.graph().inputs().size(), 2);
  EXPECT_TRUE(RunOn(model, image_).equal(-image_));
}

TEST_F(ModelGraphTest, SavesWrappedGraph) {
  const ModelGraph model = ModelOf(R"IR(
graph(%x : Tensor):
  %y : Tensor = aten::neg(%x)
  return (%y))IR");
  const std::string path = TemporaryPath("saved.pt");
  NS_ASSERT_OK(model.Save(path));
  ModelGraph loaded = OrThrow(ModelGraph::FromFile(path));
  EXPECT_TRUE(RunOn(loaded, image_).equal(-image_));
}

TEST_F(ModelGraphTest, DoesNotSaveAGraphWithoutAModule) {
  const ModelGraph model = ModelGraph::AroundGraph(GraphOf(R"IR(
graph(%x : Tensor):
  return (%x))IR"));
  EXPECT_THAT(std::string(model.Save(TemporaryPath("graph.pt")).message()),
              HasSubstr("without a module"));
  EXPECT_FALSE(std::filesystem::exists(TemporaryPath("graph.pt")));
}

// A graph that has its module already must not get another.
TEST_F(ModelGraphTest, RefusesToWrapAMethodOfAModule) {
  const ModelGraph first = ModelOf(R"IR(
graph(%x : Tensor):
  %y : Tensor = aten::neg(%x)
  return (%y))IR");
  const auto second = ModelGraph::FromGraph(first.shared_graph());
  EXPECT_THAT(MessageOf(second), HasSubstr("use FromModule"));
}

TEST_F(ModelGraphTest, RunNamesMethodWhenInputsDoNotFit) {
  ModelGraph model = OrThrow(ModelGraph::FromModule(ConvBnRelu()));
  for (const std::vector<c10::IValue>& inputs :
       {std::vector<c10::IValue>{}, {image_, image_}, {int64_t{3}}}) {
    const auto result = model.Run(inputs);
    EXPECT_THAT(MessageOf(result), StartsWith("running 'forward': "));
    EXPECT_THAT(MessageOf(result), Not(HasSubstr("\n")));
  }
}

TEST_F(ModelGraphTest, RunReportsWhatAnOperatorThrew) {
  ModelGraph model = OrThrow(ModelGraph::FromModule(ConvBnRelu()));
  const auto result = model.Run({at::ones({1, 5, 10, 10})});
  EXPECT_THAT(MessageOf(result), HasSubstr("to have 2 channels"));
  EXPECT_TRUE(IsEngineError(result.status()));
  EXPECT_THAT(MessageOf(result), Not(HasSubstr("\n")));
}

TEST_F(ModelGraphTest, RunTakesKeywords) {
  ModelGraph model = OrThrow(ModelGraph::FromModule(ConvBnRelu()));
  const at::Tensor expected = RunOn(model, image_);
  const at::Tensor y = OrThrow(model.Run({}, {{"x", image_}})).toTensor();
  EXPECT_TRUE(y.equal(expected));
}

TEST_F(ModelGraphTest, RunRecordsNoGradients) {
  ModelGraph model = OrThrow(ModelGraph::FromModule(ConvBnRelu()));
  EXPECT_FALSE(RunOn(model, image_.clone().requires_grad_()).requires_grad());
}

TEST_F(ModelGraphTest, WithLeafComputesWhatTheModuleDoes) {
  Module module = ConvBnRelu();
  ModelGraph model = OrThrow(
      ModelGraph::FromModule(module, {"forward", LeafTypes({"BatchNorm2d"})}));
  EXPECT_THAT(LeafCalls(model.graph()), SizeIs(1));
  EXPECT_TRUE(RunOn(model, image_)
                  .equal(module.get_method("forward")({image_}).toTensor()));
}

TEST_F(ModelGraphTest, WithLeafReadsParametersOfOthersAsConstants) {
  const ModelGraph model = OrThrow(ModelGraph::FromModule(
      ConvBnRelu(), {"forward", LeafTypes({"BatchNorm2d"})}));
  EXPECT_EQ(NodeOf(model.graph(), "aten::conv2d")->input(1)->node()->kind(),
            c10::prim::Constant);
  // What is left is the leaf.
  EXPECT_THAT(NodesOf(model.graph(), "prim::GetAttr"), SizeIs(1));
}

TEST_F(ModelGraphTest, WithLeafSavesAndLoads) {
  Module module = ConvBnRelu();
  const ModelGraph model = OrThrow(
      ModelGraph::FromModule(module, {"forward", LeafTypes({"Conv2d"})}));
  const std::string path = TemporaryPath("leaf.pt");
  NS_ASSERT_OK(model.Save(path));
  ModelGraph loaded = OrThrow(ModelGraph::FromFile(path));
  EXPECT_TRUE(RunOn(loaded, image_)
                  .equal(module.get_method("forward")({image_}).toTensor()));
}

}  // namespace
}  // namespace ns
