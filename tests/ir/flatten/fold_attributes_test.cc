#include "ir/flatten/fold_attributes.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/serialization/import.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/flatten/inline_modules.h"
#include "tests/testing/ir.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"
#include "tests/testing/temporary_file.h"

namespace ns {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::torch::jit::Graph;
using ::torch::jit::Module;

std::shared_ptr<Graph> Folded(const Module& model) {
  const auto graph = model.get_method("forward").graph()->copy();
  NS_EXPECT_OK(InlineModules(model, *graph).status());
  FoldAttributes(model, *graph);
  graph->lint();
  return graph;
}

// Names of the tensor constants of `graph`.
std::vector<std::string> TensorConstants(const Graph& graph) {
  std::vector<std::string> names;
  for (const torch::jit::Node* node : NodesOf(graph, "prim::Constant")) {
    if (node->output()->type()->kind() == c10::TypeKind::TensorType) {
      names.push_back(node->output()->debugName());
    }
  }
  return names;
}

TEST(FoldAttributesTest, NamesConstantAfterPath) {
  const auto graph = Folded(MakeModel({{"fc", Linear(at::ones({2, 3}))}},
                                      {"return self.fc.forward(x)"}));
  EXPECT_THAT(TensorConstants(*graph), ElementsAre("self.fc.weight"));
}

TEST(FoldAttributesTest, ConstantHoldsAttribute) {
  const at::Tensor weight = at::rand({2, 3});
  const auto graph = Folded(
      MakeModel({{"fc", Linear(weight)}}, {"return self.fc.forward(x)"}));
  const auto constant =
      torch::jit::toIValue(NodeOf(*graph, "aten::linear")->input(1));
  ASSERT_TRUE(constant.has_value());
  EXPECT_TRUE(constant->toTensor().equal(weight));
}

TEST(FoldAttributesTest, FoldsInsideControlFlow) {
  const auto graph = Folded(MakeModel(
      {{"fc", Linear(at::ones({2, 2}))}},
      {"for i in range(3):", "    x = self.fc.forward(x)", "return x"}));
  EXPECT_THAT(TensorConstants(*graph), SizeIs(1));
}

TEST(FoldAttributesTest, KeepsAttributeThatIsWritten) {
  const Module model = MakeModule("Model",
                                  "def forward(self, x: Tensor) -> Tensor:\n"
                                  "    y = x + self.state\n"
                                  "    self.state = y\n"
                                  "    return y\n",
                                  {{"state", at::zeros({1})}});
  EXPECT_THAT(TensorConstants(*Folded(model)), IsEmpty());
}

TEST(FoldAttributesTest, KeepsTensorsThatOpsWriteInPlace) {
  for (const char* write :
       {"self.state.add_(x)", "self.state.copy_(x)", "self.state[0] = x[0]",
        "self.state.view(-1).mul_(2)"}) {
    SCOPED_TRACE(write);
    const Module model =
        MakeModule("Model",
                   absl::StrCat("def forward(self, x: Tensor) -> Tensor:\n"
                                "    ",
                                write,
                                "\n"
                                "    return self.state + self.kept\n"),
                   {{"state", at::zeros({2, 3})}, {"kept", at::ones({3})}});
    EXPECT_THAT(TensorConstants(*Folded(model)), ElementsAre("self.kept"));
  }
}

TEST(FoldAttributesTest, KeepsTensorsThatAreWrittenBehindControlFlow) {
  for (const char* body : {"    b = self.a if flag else self.c\n"
                           "    b.add_(1)\n",
                           "    for t in [self.a, self.c]:\n"
                           "        t.add_(x)\n"}) {
    SCOPED_TRACE(body);
    const Module model = MakeModule(
        "Model",
        absl::StrCat("def forward(self, x: Tensor, flag: bool) -> Tensor:\n",
                     body, "    return torch.cat([x, self.a, self.kept])\n"),
        {{"a", at::zeros({3})},
         {"c", at::zeros({3})},
         {"kept", at::ones({3})}});
    EXPECT_THAT(TensorConstants(*Folded(model)), ElementsAre("self.kept"));
  }
}

// When the graph runs, 'cur' is another object than when it is folded.
TEST(FoldAttributesTest, KeepsAttributesOfAnObjectThatIsReplaced) {
  const Module cur = MakeModule("Gain",
                                "def forward(self, x: Tensor) -> Tensor:\n"
                                "    return x * self.w\n",
                                {{"w", at::ones({1})}});
  Module other(cur._ivalue()->compilation_unit(), cur.type());
  other.setattr("w", at::zeros({1}));
  other.setattr("training", false);
  const Module model = MakeModule("Model",
                                  "def forward(self, x: Tensor) -> Tensor:\n"
                                  "    return x * self.cur.w\n",
                                  {}, {{"cur", cur}, {"other", other}});
  const auto graph = model.get_method("forward").graph()->copy();
  {
    const torch::jit::WithInsertPoint at(*graph->nodes().begin());
    torch::jit::Value* self = graph->inputs()[0];
    graph->insertNode(
        graph->createSetAttr(self, "cur", graph->insertGetAttr(self, "other")));
  }
  EXPECT_FALSE(FoldAttributes(model, *graph));
  EXPECT_THAT(TensorConstants(*graph), IsEmpty());
}

TEST(FoldAttributesTest, FoldsWhatObserversWriteInPlace) {
  const Module observer =
      MakeModule("torch.ao.quantization.observer.MinMaxObserver",
                 "def forward(self, x: Tensor) -> Tensor:\n"
                 "    self.min_val.copy_(torch.min(self.min_val, x.min()))\n"
                 "    return x\n",
                 {{"min_val", at::zeros({1})}});
  const Module model =
      MakeModel({{"observer", observer}}, {"return self.observer.forward(x)"});
  EXPECT_THAT(TensorConstants(*Folded(model)),
              Contains("self.observer.min_val"));
}

TEST(FoldAttributesTest, FoldsNumbersAndPackedParameters) {
  const auto graph =
      Folded(MakeModel({{"fc", QuantizedLinear(at::rand({2, 3}), false)}},
                       {"return self.fc.forward(x)"}));
  const torch::jit::Node* linear = NodeOf(*graph, "quantized::linear");
  for (size_t i = 1; i < linear->inputs().size(); ++i) {
    EXPECT_TRUE(torch::jit::toIValue(linear->input(i)).has_value());
  }
}

// LibTorch gives objects that it loads a reference of their own to the class.
TEST(FoldAttributesTest, FoldsPackedParametersOfAFile) {
  const std::string path = TemporaryPath("packed.pt");
  MakeModel({{"fc", QuantizedLinear(at::rand({2, 3}), false)}},
            {"return self.fc.forward(x)"})
      .save(path);
  const auto graph = Folded(torch::jit::load(path));
  const torch::jit::Node* linear = NodeOf(*graph, "quantized::linear");
  EXPECT_TRUE(torch::jit::toIValue(linear->input(1)).has_value());
}

TEST(FoldAttributesTest, KeepsListsWhichCodeCanChangeInPlace) {
  const Module model = MakeModule("Model",
                                  "def forward(self, x: Tensor) -> Tensor:\n"
                                  "    return x.view(self.sizes)\n",
                                  {{"sizes", std::vector<int64_t>{2, 3}}});
  EXPECT_THAT(NodesOf(*Folded(model), "prim::GetAttr"), SizeIs(1));
}

TEST(FoldAttributesTest, KeepsAttributeThatCalledMethodWrites) {
  const Module counter = MakeModule("Counter",
                                    "def forward(self, x: Tensor) -> Tensor:\n"
                                    "    self.calls = self.calls + 1\n"
                                    "    return x\n",
                                    {{"calls", 0}});
  const Module model =
      MakeModel({{"counter", counter}},
                {"return self.counter.forward(x) + self.counter.calls"});
  const auto graph = model.get_method("forward").graph()->copy();
  NS_ASSERT_OK(InlineModules(model, *graph, LeafTypes({"Counter"})).status());
  FoldAttributes(model, *graph);
  EXPECT_THAT(NodeOf(*graph, "aten::add")->input(1)->node()->kind(),
              c10::prim::GetAttr);
}

TEST(FoldAttributesTest, LeavesGraphWithoutInputsAlone) {
  const auto graph = std::make_shared<Graph>();
  FoldAttributes(Module("__torch__.Empty"), *graph);
  EXPECT_THAT(AllNodes(*graph), IsEmpty());
}

}  // namespace
}  // namespace ns
