#include "passes/instrument/logger_calls.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/ir/ir.h>

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/graph/verifier.h"
#include "passes/runtime/loggers/output_logger.h"
#include "passes/runtime/loggers/shadow_logger.h"
#include "tests/testing/ir.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

ModelGraph Relu() {
  return ModelOf(R"IR(
graph(%x : Tensor):
  %y : Tensor = aten::relu(%x)
  return (%y))IR");
}

LoggerInfo Info() {
  LoggerInfo info;
  info.layer = "relu";
  return info;
}

template <typename Logger>
AttachedLogger New() {
  return {c10::IValue(c10::make_intrusive<Logger>()), Info()};
}

TEST(LoggerCallsTest, CallsTheLoggerInFrontOfThePlace) {
  ModelGraph model = Relu();
  torch::jit::Graph& graph = model.graph();
  const AttachedLogger logger = New<OutputLogger>();
  const std::string name = OrThrow(AttachLogger(model, logger, /*arity=*/1));
  torch::jit::Node* relu = NodeOf(graph, "aten::relu");
  const torch::jit::Value* logged =
      OrThrow(CallLogger(model, name, {graph.inputs()[1]}, relu));
  EXPECT_EQ(logged->node()->next(), relu);
  EXPECT_TRUE(logged->uses().empty());
  NS_EXPECT_OK(VerifyGraph(graph));
  OrThrow(model.Run({at::full({2}, -3)}));
  EXPECT_TRUE(
      at::equal(logger.object.toCustomClass<OutputLogger>()->Stats().at(0),
                at::full({2}, -3)));
}

// Logs the input of relu, and then what relu gives.
c10::IValue ReluLoggedBy(const std::string& forward, std::string* text) {
  ModelGraph model = Relu();
  torch::jit::Graph& graph = model.graph();
  torch::jit::Node* relu = NodeOf(graph, "aten::relu");
  for (torch::jit::Value* value : {relu->input(), relu->output()}) {
    const AttachedLogger logger = {MakeModule("MyLogger", forward)._ivalue(),
                                   Info()};
    const std::string name = OrThrow(AttachLogger(model, logger, /*arity=*/1));
    OrThrow(CallLogger(model, name, {value},
                       value == relu->input() ? relu : relu->next()));
  }
  NS_EXPECT_OK(VerifyGraph(graph));
  *text = graph.toString(/*print_source_locations=*/false);
  return OrThrow(model.Run({at::tensor({-3.0F, 2.0F})}));
}

TEST(LoggerCallsTest, ALoggerThatWritesInPlaceGetsCopies) {
  std::string text;
  const at::Tensor y =
      ReluLoggedBy("def forward(self, x: Tensor):\n    x.fill_(7.0)\n", &text)
          .toTensor();
  EXPECT_TRUE(y.equal(at::tensor({0.0F, 2.0F}))) << y;
  EXPECT_THAT(text, HasSubstr("aten::clone"));
}

TEST(LoggerCallsTest, ALoggerThatOnlyReadsGetsNoCopies) {
  std::string text;
  ReluLoggedBy("def forward(self, x: Tensor):\n    assert x.max() > 0\n",
               &text);
  EXPECT_THAT(text, Not(HasSubstr("aten::clone")));
}

TEST(LoggerCallsTest, RefusesALoggerOfOtherArity) {
  ModelGraph model = Relu();
  EXPECT_THAT(MessageOf(AttachLogger(model, New<ShadowLogger>(), /*arity=*/1)),
              HasSubstr("ShadowLogger must take one Tensor"));
  EXPECT_THAT(AttachedLoggers(model.module()), IsEmpty());
}

TEST(LoggerCallsTest, RefusesAnAttributeThatIsNotThere) {
  ModelGraph model = Relu();
  torch::jit::Graph& graph = model.graph();
  const std::string before = graph.toString();
  EXPECT_THAT(MessageOf(CallLogger(model, "ns_logger_7", {graph.inputs()[1]},
                                   graph.outputs()[0]->node())),
              HasSubstr("ns_logger_7"));
  EXPECT_EQ(graph.toString(), before);
}

}  // namespace
}  // namespace ns
