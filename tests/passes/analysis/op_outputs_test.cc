#include "passes/analysis/op_outputs.h"

#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/flatten/inline_modules.h"
#include "ir/model/model_graph.h"
#include "passes/ops/op_table.h"
#include "tests/testing/ir.h"
#include "tests/testing/modules.h"
#include "tests/testing/named_graph.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

size_t TensorsOf(const std::string& type) {
  const NamedGraph graph(
      absl::StrCat("graph(%x : ", type, "):\n  return (%x)\n"));
  return CountTensors(*graph.Named("x")->type());
}

TEST(CountTensorsTest, CountsAtAnyDepth) {
  EXPECT_EQ(TensorsOf("Tensor"), 1);
  EXPECT_EQ(TensorsOf("(Tensor, (Tensor, Tensor))"), 3);
  EXPECT_EQ(TensorsOf("(int, (Tensor, str), Tensor)"), 2);
}

TEST(CountTensorsTest, OfAListTheFirstElementIsKnown) {
  EXPECT_EQ(TensorsOf("Tensor[]"), 1);
  EXPECT_EQ(TensorsOf("(Tensor, Tensor)[]"), 2);
}

TEST(CountTensorsTest, IsZeroForWhatHasNoTensorAtAKnownPlace) {
  EXPECT_EQ(TensorsOf("int"), 0);
  EXPECT_EQ(TensorsOf("(int, str)"), 0);
  EXPECT_EQ(TensorsOf("Dict(str, Tensor)"), 0);
}

constexpr char kLstm[] = R"IR(
graph(%x : Tensor, %state : Tensor[], %weights : Tensor[]):
  %no : bool = prim::Constant[value=0]()
  %zero : float = prim::Constant[value=0.]()
  %one : int = prim::Constant[value=1]()
  %y : Tensor, %h : Tensor, %c : Tensor = aten::lstm(%x, %state, %weights, %no, %one, %zero, %no, %no, %no)
  return (%y))IR";

std::vector<std::string> NamesOf(const torch::jit::Node& node) {
  std::vector<std::string> names;
  for (size_t i = 0; i < OutputTensors(node).size(); ++i) {
    names.push_back(KnownOutputName(node, i));
  }
  return names;
}

TEST(OutputTensorsTest, OutputsOfALstmHaveTheNamesOfItsModule) {
  const NamedGraph graph(kLstm);
  const torch::jit::Node& node = *graph.Named("y")->node();
  const std::vector<OutputTensor> tensors = OutputTensors(node);
  ASSERT_THAT(tensors, SizeIs(3));
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(tensors[i].value, node.outputs()[i]);
    EXPECT_EQ(tensors[i].place, 0);
  }
  EXPECT_THAT(NamesOf(node), ElementsAre("output", "h_n", "c_n"));
}

TEST(OutputTensorsTest, NamesOfTheSchemaComeFirst) {
  const NamedGraph graph(R"IR(
graph(%x : Tensor, %dim : int, %keep : bool):
  %v : Tensor, %i : Tensor = aten::max(%x, %dim, %keep)
  return (%v))IR");
  EXPECT_THAT(NamesOf(*graph.Named("v")->node()),
              ElementsAre("values", "indices"));
}

TEST(OutputTensorsTest, OthersHaveNoName) {
  const NamedGraph graph(R"IR(
graph(%x : Tensor, %w : Tensor?, %eps : float, %shape : int[]):
  %y : Tensor, %m : Tensor, %r : Tensor = aten::native_layer_norm(%x, %shape, %w, %w, %eps)
  return (%y))IR");
  EXPECT_THAT(NamesOf(*graph.Named("y")->node()), ElementsAre("", "", ""));
}

// How many elements %l has that `lines` make and use.
size_t ElementsOf(const std::string& lines) {
  const NamedGraph graph(
      absl::StrCat("graph(%x : Tensor, %dim : int, %sizes : int[]):\n"
                   "  %zero : int = prim::Constant[value=0]()\n"
                   "  %three : int = prim::Constant[value=3]()\n"
                   "  %last : int = prim::Constant[value=-2]()\n",
                   lines, "  return (%x)"));
  return CountElements(*graph.Named("l"));
}

TEST(CountElementsTest, WhatIsReadByNumber) {
  const std::string list = "  %l : Tensor[] = aten::unbind(%x, %dim)\n";
  EXPECT_EQ(ElementsOf(list), 1);
  const std::string unpacked =
      list + "  %a : Tensor, %b : Tensor = prim::ListUnpack(%l)\n";
  EXPECT_EQ(ElementsOf(unpacked), 2);
  EXPECT_EQ(
      ElementsOf(unpacked + "  %c : Tensor = aten::__getitem__(%l, %three)\n"),
      4);
  EXPECT_EQ(ElementsOf(list + "  %c : Tensor = aten::__getitem__(%l, %last)\n"
                              "  %n : int = aten::len(%l)\n"),
            2);
}

TEST(CountElementsTest, AllWhereTheyAreReadInAnotherWay) {
  const std::string list = "  %l : Tensor[] = aten::unbind(%x, %dim)\n";
  EXPECT_EQ(ElementsOf(list + "  %y : Tensor = aten::stack(%l, %dim)\n"),
            kAllElements);
  EXPECT_EQ(ElementsOf(list + "  %y : Tensor = aten::__getitem__(%l, %dim)\n"
                              "  %z : Tensor = aten::__getitem__(%l, %zero)\n"),
            kAllElements);
}

TEST(CountElementsTest, ChunksAreAsManyAsAreAskedFor) {
  EXPECT_EQ(ElementsOf("  %l : Tensor[] = aten::chunk(%x, %three, %dim)\n"
                       "  %y : Tensor = aten::stack(%l, %dim)\n"),
            3);
  EXPECT_EQ(ElementsOf("  %l : Tensor[] = aten::chunk(%x, %dim, %dim)\n"
                       "  %y : Tensor = aten::stack(%l, %dim)\n"),
            kAllElements);
}

TEST(OutputNameTest, IsTheIndexWhereNoneIsKnown) {
  EXPECT_EQ(OutputName("h_n", 1), "h_n");
  EXPECT_EQ(OutputName("", 0), "output");
  EXPECT_EQ(OutputName("", 2), "2");
}

TEST(OutputTensorsTest, NodesWithoutTensorsHaveNone) {
  const NamedGraph graph(R"IR(
graph(%x : Tensor):
  %n : int = aten::dim(%x)
  return (%n))IR");
  EXPECT_THAT(OutputTensors(*graph.Named("n")->node()), IsEmpty());
}

// In the arms, the outputs are in the order of their variables.
TEST(OutputTensorsTest, OutputsOfAnIfHaveTheNamesOfItsFirstArm) {
  const NamedGraph graph(R"IR(
graph(%x : Tensor, %state : Tensor[], %weights : Tensor[], %p : bool):
  %no : bool = prim::Constant[value=0]()
  %zero : float = prim::Constant[value=0.]()
  %one : int = prim::Constant[value=1]()
  %a : Tensor, %b : Tensor, %d : Tensor = prim::If(%p)
    block0():
      %y : Tensor, %h : Tensor, %c : Tensor = aten::lstm(%x, %state, %weights, %no, %one, %zero, %no, %no, %no)
      %r : Tensor = aten::relu(%y)
      -> (%c, %h, %r)
    block1():
      -> (%x, %x, %x)
  return (%a))IR");
  EXPECT_THAT(NamesOf(*graph.Named("a")->node()),
              ElementsAre("c_n", "h_n", ""));
}

// A model that calls a module of `type` and does not enter it.
ModelGraph CallOf(const std::string& type) {
  const torch::jit::Module module = MakeModule(
      type,
      "def forward(self, x: Tensor) -> Tuple[Tensor, Tuple[Tensor, Tensor]]:\n"
      "    return x, (x, x)\n");
  ModelGraphOptions options;
  options.is_leaf = LeafTypes({type});
  return OrThrow(ModelGraph::FromModule(
      MakeModel({{"block", module}},
                {"y, s = self.block.forward(x)", "return s[0] + y"}),
      options));
}

TEST(OutputTensorsTest, TensorsOfATupleAreToldApartByPlace) {
  const ModelGraph model = CallOf("Block");
  const torch::jit::Node& call = *LeafCalls(model.graph()).at(0);
  const std::vector<OutputTensor> tensors = OutputTensors(call);
  ASSERT_THAT(tensors, SizeIs(3));
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(tensors[i].value, call.output());
    EXPECT_EQ(tensors[i].place, i);
  }
  EXPECT_THAT(NamesOf(call), ElementsAre("", "", ""));
}

TEST(OutputTensorsTest, RecurrentModulesNameTheirsAsTheirOpsDo) {
  const ModelGraph model = CallOf("torch.nn.modules.rnn.LSTM");
  EXPECT_THAT(NamesOf(*LeafCalls(model.graph()).at(0)),
              ElementsAre("output", "h_n", "c_n"));
}

// Of packed sequences it returns more, lengths among them.
TEST(OutputTensorsTest, RecurrentModuleWithMoreTensorsNamesNone) {
  const torch::jit::Module module =
      MakeModule("LSTM",
                 "def forward(self, x: Tensor) -> Tuple[Tuple[Tensor, Tensor], "
                 "Tuple[Tensor, Tensor]]:\n"
                 "    return (x, x), (x, x)\n");
  ModelGraphOptions options;
  options.is_leaf = LeafTypes({"LSTM"});
  const ModelGraph model = OrThrow(ModelGraph::FromModule(
      MakeModel({{"rnn", module}},
                {"y, s = self.rnn.forward(x)", "return s[0] + y[0]"}),
      options));
  EXPECT_THAT(NamesOf(*LeafCalls(model.graph()).at(0)),
              ElementsAre("", "", "", ""));
}

// Names for outputs that an op does not have would never be seen.
TEST(OutputTensorsTest, EveryNamedOutputIsThere) {
  for (const OpRow& row : OpTable()) {
    const std::vector<std::string> names =
        absl::StrSplit(row.other_outputs, ' ', absl::SkipEmpty());
    if (names.empty()) {
      continue;
    }
    for (const auto& op : torch::jit::getAllOperatorsFor(
             c10::Symbol::fromQualString(std::string(row.op)))) {
      const auto& returns = op->schema().returns();
      ASSERT_EQ(returns.size(), names.size() + 1) << row.op;
      for (const c10::Argument& value : returns) {
        EXPECT_EQ(value.name(), "") << row.op;
      }
    }
  }
}

}  // namespace
}  // namespace ns
