#include "passes/instrument/insert_logger.h"

#include <ATen/ATen.h>
#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/graph/verifier.h"
#include "ir/model/model_graph.h"
#include "passes/analysis/subgraph.h"
#include "passes/instrument/logger_info.h"
#include "passes/matching/graph_matcher.h"
#include "passes/matching/matches/matched_outputs.h"
#include "passes/runtime/loggers/output_logger.h"
#include "passes/runtime/loggers/shadow_logger.h"
#include "tests/testing/ir.h"
#include "tests/testing/modules.h"
#include "tests/testing/named_graph.h"
#include "tests/testing/short_ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::torch::jit::Node;

ModelGraph ModelOfSource(const std::string& source,
                         const Attributes& attributes = {}) {
  return OrThrow(
      ModelGraph::FromModule(MakeModule("Model", source, attributes)));
}

Subgraph Single(Node* node) { return {node, node, node, {node}}; }

// Logs the inputs of the first `op`, and returns the loggers.
std::vector<AttachedLogger> LogInputs(ModelGraph& model, const std::string& op,
                                      const LoggerOptions& options = {}) {
  const Subgraph subgraph = Single(NodeOf(model.graph(), op));
  NS_EXPECT_OK(InsertInputLoggers(model, options, {}, subgraph, subgraph,
                                  subgraph.start));
  NS_EXPECT_OK(VerifyGraph(model.graph()));
  return AttachedLoggers(model.module());
}

std::vector<at::Tensor> StatsOf(const AttachedLogger& logger) {
  return logger.object.toCustomClass<OutputLogger>()->Stats();
}

TEST(InsertLoggerTest, OfAListTheFirstElementIsLogged) {
  ModelGraph model = ModelOfSource(
      "def forward(self, x: Tensor) -> List[Tensor]:\n"
      "    return torch.chunk(x, 2, 0)\n");
  torch::jit::Graph& graph = model.graph();
  const torch::jit::Value* logged = OrThrow(
      InsertLogger(model, {}, {}, graph.outputs()[0], graph.return_node()));
  EXPECT_THAT(logged->uses(), IsEmpty());
  OrThrow(model.Run({at::arange(4)}));
  const auto stats = StatsOf(AttachedLoggers(model.module()).at(0));
  ASSERT_THAT(stats, SizeIs(1));
  EXPECT_TRUE(stats[0].equal(at::arange(2)));
}

// What the op takes are not the tensors that the list was made of.
TEST(InsertLoggerTest, InputsOfAListThatGrowsAreNotLogged) {
  ModelGraph model = ModelOfSource(
      "def forward(self, x: Tensor, n: int) -> Tensor:\n"
      "    l = [x]\n"
      "    for i in range(n):\n"
      "        l.append(torch.cat(l))\n"
      "    return l[-1]\n");
  EXPECT_THAT(LogInputs(model, "aten::cat"), IsEmpty());
}

TEST(InsertLoggerTest, ValuesWithoutTensorsAndOtherLoggersAreErrors) {
  ModelGraph model = ModelOfSource(
      "def forward(self, x: Tensor) -> int:\n"
      "    return x.dim()\n");
  const auto message = [&](const LoggerOptions& options) {
    return MessageOf(InsertLogger(model, options, {},
                                  model.graph().outputs()[0],
                                  model.graph().return_node()));
  };
  LoggerOptions options;
  options.logger = [](const LoggerInfo&) {
    return absl::InternalError("out of loggers");
  };
  EXPECT_EQ(message(options), "out of loggers");
  options.logger = [](const LoggerInfo&) {
    return c10::IValue(c10::make_intrusive<ShadowLogger>());
  };
  EXPECT_THAT(message(options), HasSubstr("must take one Tensor"));
  EXPECT_THAT(AttachedLoggers(model.module()), IsEmpty());
  EXPECT_THAT(message({}), HasSubstr("int cannot be logged"));
  EXPECT_THAT(AttachedLoggers(model.module()), SizeIs(1));
}

TEST(InsertInputLoggersTest, ElementsOfAListAreArguments) {
  ModelGraph model = ModelOfSource(
      "def forward(self, x: Tensor, y: Tensor) -> Tensor:\n"
      "    return torch.cat([y, torch.neg(x)], 1)\n");
  LoggerInfo of_output;
  of_output.layer = "cat";
  of_output.type = kNodeOutputResult;
  const Subgraph cat = Single(NodeOf(model.graph(), "aten::cat"));
  NS_ASSERT_OK(InsertInputLoggers(model, {}, of_output, cat, cat, cat.start));
  const auto loggers = AttachedLoggers(model.module());
  ASSERT_THAT(loggers, SizeIs(2));
  for (int i = 0; i < 2; ++i) {
    const LoggerInfo& info = loggers[i].info;
    EXPECT_EQ(info.layer, "cat");
    EXPECT_EQ(info.type, kNodeInputResult);
    EXPECT_EQ(info.index_of_arg, 0);
    EXPECT_EQ(info.index_within_arg, i);
  }
  EXPECT_EQ(loggers[0].info.prev_node_name, "y");
  EXPECT_EQ(loggers[1].info.prev_node_target_type, "aten::neg");
}

TEST(InsertInputLoggersTest, WeightsNumbersAndUnknownListsAreNotLogged) {
  ModelGraph weight = ModelOfSource(
      "def forward(self, x: Tensor) -> Tensor:\n"
      "    return torch.matmul(self.w, x)\n",
      {{"w", at::ones({2, 2})}});
  const auto loggers = LogInputs(weight, "aten::matmul");
  ASSERT_THAT(loggers, SizeIs(1));
  EXPECT_EQ(loggers[0].info.index_of_arg, 1);
  ModelGraph number = ModelOfSource(
      "def forward(self, x: Tensor, n: int) -> Tensor:\n"
      "    return torch.mul(x, n)\n");
  EXPECT_THAT(LogInputs(number, "aten::mul"), SizeIs(1));
  ModelGraph list = ModelOfSource(
      "def forward(self, x: List[Tensor]) -> Tensor:\n"
      "    return torch.cat(x, 0)\n");
  EXPECT_THAT(LogInputs(list, "aten::cat"), IsEmpty());
}

// PyTorch's suite logs what the first logger returned.
TEST(InsertInputLoggersTest, ASquareHasTwoInputs) {
  for (const bool compat : {false, true}) {
    ModelGraph model = ModelOfSource(
        "def forward(self, x: Tensor) -> Tensor:\n"
        "    return torch.mul(x, x)\n");
    LoggerOptions options;
    options.compat = compat;
    const auto loggers = LogInputs(model, "aten::mul", options);
    ASSERT_THAT(loggers, SizeIs(2));
    EXPECT_EQ(loggers[0].info.prev_node_name, "x");
    EXPECT_EQ(loggers[1].info.prev_node_name, compat ? "ns_logger_0" : "x");
    EXPECT_EQ(loggers[1].info.index_of_arg, 1);
    ExpectShortIr(model.graph(), compat ? R"(
%1 = self.ns_logger_0.forward(%0)
%2 = self.ns_logger_1.forward(%1)
%3 = aten::mul(%0, %0)
return (%3))"
                                        : R"(
%1 = self.ns_logger_0.forward(%0)
%2 = self.ns_logger_1.forward(%0)
%3 = aten::mul(%0, %0)
return (%3))");
  }
}

TEST(InsertInputLoggersTest, InputsOfAnIfInALoopAreLoggedInFrontOfIt) {
  ModelGraph model = ModelOf(R"IR(
graph(%x : Tensor, %p : bool, %n : int):
  %zero : int = prim::Constant[value=0]()
  %yes : bool = prim::Constant[value=1]()
  %a : Tensor = aten::tanh(%x)
  %l : Tensor = prim::Loop(%n, %yes, %x)
    block0(%i : int, %carried : Tensor):
      %r : Tensor = prim::If(%p)
        block0():
          %u : Tensor = aten::unsqueeze(%a, %zero)
          %m : Tensor = aten::mul(%u, %carried)
          -> (%m)
        block1():
          %k : Tensor = aten::mul(%a, %carried)
          -> (%k)
      -> (%yes, %r)
  return (%l))IR");
  Node* const choice = NodeOf(model.graph(), "prim::If");
  const Subgraph subgraph = {
      choice, choice, NodeOf(model.graph(), "aten::mul"), {choice}};
  NS_ASSERT_OK(InsertInputLoggers(model, {}, {}, subgraph, subgraph, choice));
  NS_ASSERT_OK(VerifyGraph(model.graph()));
  const at::Tensor x = at::randn({3});
  OrThrow(model.Run({x, false, int64_t{2}}));
  const auto loggers = AttachedLoggers(model.module());
  ASSERT_THAT(loggers, SizeIs(2));
  ASSERT_THAT(StatsOf(loggers[0]), SizeIs(2));
  EXPECT_TRUE(StatsOf(loggers[0])[1].equal(x.tanh()));
  ASSERT_THAT(StatsOf(loggers[1]), SizeIs(2));
  EXPECT_TRUE(StatsOf(loggers[1])[0].equal(x));
  EXPECT_TRUE(StatsOf(loggers[1])[1].equal(x.tanh() * x));
}

TEST(InsertInputLoggersTest, ACopyWithOtherInputsIsOurFault) {
  ModelGraph model = ModelOfSource(
      "def forward(self, x: Tensor, y: Tensor) -> Tensor:\n"
      "    return torch.mul(torch.neg(x), y)\n");
  Node* const mul = NodeOf(model.graph(), "aten::mul");
  const absl::Status status =
      InsertInputLoggers(model, {}, {}, Single(mul),
                         Single(NodeOf(model.graph(), "aten::neg")), mul);
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_EQ(status.message(), "the copy of aten::neg takes 2 tensors, not 1");
  EXPECT_THAT(AttachedLoggers(model.module()), IsEmpty());
}

TEST(InsertOutputLoggerTest, TakesTheTensorAtItsPlace) {
  ModelGraph model = ModelOfSource(
      "def forward(self, x: Tensor) -> Tuple[int, Tuple[Tensor, Tensor]]:\n"
      "    return x.dim(), (x, torch.neg(x))\n");
  torch::jit::Value* tuple = model.graph().outputs()[0];
  const auto insert = [&](size_t place) {
    MatchedOutput output;
    output.index = place;
    output.name = "h_n";
    output.a = output.b = {tuple, place};
    return InsertOutputLogger(model, {}, {}, output, output.b, tuple,
                              model.graph().return_node());
  };
  NS_ASSERT_OK(insert(1));
  EXPECT_THAT(std::string(insert(2).message()),
              HasSubstr("has 2 tensors, and number 3 is asked for"));
  OrThrow(model.Run({at::ones({2})}));
  EXPECT_THAT(AttachedLoggers(model.module()), IsEmpty());
  const auto loggers = AllAttachedLoggers(model.module());
  ASSERT_THAT(loggers, SizeIs(1));
  EXPECT_EQ(loggers[0].info.output_index, 1);
  EXPECT_EQ(loggers[0].info.output_name, "h_n");
  EXPECT_TRUE(StatsOf(loggers[0]).at(0).equal(-at::ones({2})));
}

TEST(PlaceOfTest, IsBehindTheValueOrAtTheStartOfItsBlock) {
  const NamedGraph graph(R"IR(
graph(%x : Tensor, %p : bool):
  %a : Tensor = aten::relu(%x)
  %b : Tensor = aten::neg(%a)
  %r : Tensor = prim::If(%p)
    block0():
      %c : Tensor = aten::tanh(%b)
      -> (%c)
    block1():
      -> (%b)
  return (%r))IR");
  MatchedSide side;
  side.output = graph.Named("a");
  EXPECT_EQ(PlaceOf(side), graph.Named("b")->node());
  side.output = graph.Named("x");
  EXPECT_EQ(PlaceOf(side), graph.Named("a")->node());
  Node* const choice = graph.Named("r")->node();
  side.compared_in = choice->blocks()[0];
  EXPECT_EQ(PlaceOf(side), graph.Named("c")->node());
  side.compared_in = choice->blocks()[1];
  EXPECT_EQ(PlaceOf(side), choice->blocks()[1]->return_node());
}

TEST(OutputInfoTest, WithoutAnOpTheValueIsNamed) {
  const ModelGraph model = ModelOfSource(
      "def forward(self, x: Tensor) -> Tensor:\n"
      "    return torch.neg(x)\n");
  SubgraphMatch match;
  match.name = "layer";
  match.b.name = "x.quantize";
  match.b.output = model.graph().inputs()[1];
  LoggerInfo info = OutputInfo(match, match.b, "int8");
  EXPECT_EQ(info.layer, "layer");
  EXPECT_EQ(info.layer_in_model, "x.quantize");
  EXPECT_EQ(info.model_name, "int8");
  EXPECT_EQ(info.ref_node_name, "x");
  EXPECT_EQ(info.ref_node_target_type, "");
  match.b.subgraph = Single(NodeOf(model.graph(), "aten::neg"));
  info = OutputInfo(match, match.b, "int8");
  EXPECT_EQ(info.ref_node_target_type, "aten::neg");
  EXPECT_EQ(info.prev_node_name, "x");
}

}  // namespace
}  // namespace ns
