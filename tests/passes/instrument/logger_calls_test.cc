#include "passes/instrument/logger_calls.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/ir/ir.h>

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/verifier.h"
#include "passes/runtime/loggers/output_logger.h"
#include "passes/runtime/loggers/shadow_logger.h"
#include "tests/testing/ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

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
