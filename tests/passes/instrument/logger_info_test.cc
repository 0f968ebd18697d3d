#include "passes/instrument/logger_info.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/runtime/loggers/output_logger.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

LoggerInfo Info(const std::string& layer) {
  LoggerInfo info;
  info.layer = layer;
  info.layer_in_model = layer + ".own";
  info.type = kNodeInputResult;
  info.model_name = "float";
  info.ref_node_name = "y";
  info.ref_node_target_type = "aten::cat";
  info.prev_node_name = "x";
  info.prev_node_target_type = "aten::relu";
  info.index_within_arg = 3;
  info.index_of_arg = 2;
  info.fqn = "layer1.0";
  info.output_name = "output";
  return info;
}

c10::IValue NewLogger() {
  return c10::IValue(c10::make_intrusive<OutputLogger>());
}

TEST(AttachLoggerTest, ModuleWithoutLoggersHasNone) {
  EXPECT_THAT(AttachedLoggers(torch::jit::Module("__torch__.M")), IsEmpty());
}

TEST(AttachLoggerTest, KeepsEveryFieldAndTheObject) {
  torch::jit::Module module("__torch__.M");
  const c10::IValue logger = NewLogger();
  AttachLogger(module, {logger, Info("cat")});
  const auto loggers = AttachedLoggers(module);
  ASSERT_THAT(loggers, SizeIs(1));
  EXPECT_TRUE(loggers[0].object.is(logger));
  const LoggerInfo& info = loggers[0].info;
  EXPECT_EQ(info.layer, "cat");
  EXPECT_EQ(info.layer_in_model, "cat.own");
  EXPECT_EQ(info.type, kNodeInputResult);
  EXPECT_EQ(info.model_name, "float");
  EXPECT_EQ(info.ref_node_name, "y");
  EXPECT_EQ(info.ref_node_target_type, "aten::cat");
  EXPECT_EQ(info.prev_node_name, "x");
  EXPECT_EQ(info.prev_node_target_type, "aten::relu");
  EXPECT_EQ(info.index_within_arg, 3);
  EXPECT_EQ(info.index_of_arg, 2);
  EXPECT_EQ(info.fqn, "layer1.0");
  EXPECT_EQ(info.output_index, 0);
  EXPECT_EQ(info.output_name, "output");
}

TEST(AttachLoggerTest, OtherOutputsHaveNamesOfTheirOwnAndComeLast) {
  torch::jit::Module module("__torch__.M");
  LoggerInfo state = Info("lstm");
  state.output_index = 2;
  state.output_name = "c_n";
  EXPECT_EQ(AttachLogger(module, {NewLogger(), Info("lstm")}), "ns_logger_0");
  EXPECT_EQ(AttachLogger(module, {NewLogger(), state}), "ns_output_logger_0");
  EXPECT_EQ(AttachLogger(module, {NewLogger(), Info("fc")}), "ns_logger_1");
  EXPECT_EQ(AttachLogger(module, {NewLogger(), state}), "ns_output_logger_1");
  EXPECT_THAT(AttachedLoggers(module), SizeIs(2));
  const auto loggers = AllAttachedLoggers(module);
  ASSERT_THAT(loggers, SizeIs(4));
  EXPECT_EQ(loggers[0].info.layer, "lstm");
  EXPECT_EQ(loggers[1].info.layer, "fc");
  EXPECT_EQ(loggers[2].info.output_index, 2);
  EXPECT_EQ(loggers[2].info.output_name, "c_n");
}

// As earlier versions saved it.
TEST(AttachLoggerTest, LoggerThatDoesNotSayIsOnTheFirstOutput) {
  torch::jit::Module module("__torch__.M");
  c10::Dict<std::string, std::string> fields;
  fields.insert("layer", "lstm");
  const c10::IValue logger = NewLogger();
  module.register_attribute("ns_logger_0", logger.type(), logger);
  module.register_attribute(
      "ns_logger_0_info",
      c10::DictType::create(c10::StringType::get(), c10::StringType::get()),
      fields);
  const auto loggers = AttachedLoggers(module);
  ASSERT_THAT(loggers, SizeIs(1));
  EXPECT_EQ(loggers[0].info.layer, "lstm");
  EXPECT_EQ(loggers[0].info.output_index, 0);
  EXPECT_EQ(loggers[0].info.output_name, "");
}

TEST(AttachLoggerTest, KeepsOrderBeyondTen) {
  torch::jit::Module module("__torch__.M");
  for (int i = 0; i < 12; ++i) {
    EXPECT_EQ(AttachLogger(module, {NewLogger(), Info(std::to_string(i))}),
              "ns_logger_" + std::to_string(i));
  }
  const auto loggers = AttachedLoggers(module);
  ASSERT_THAT(loggers, SizeIs(12));
  for (int i = 0; i < 12; ++i) {
    EXPECT_EQ(loggers[i].info.layer, std::to_string(i));
  }
}

c10::IValue LoggerWith(const std::string& source) {
  return MakeModule("MyLogger", source)._ivalue();
}

TEST(CheckLoggerTest, CountsTheTensorsOfForward) {
  const c10::IValue one =
      LoggerWith("def forward(self, x: Tensor):\n    return x\n");
  const c10::IValue two =
      LoggerWith("def forward(self, x: Tensor, y: Tensor):\n    return x\n");
  NS_EXPECT_OK(CheckLogger(one, 1));
  NS_EXPECT_OK(CheckLogger(two, 2));
  EXPECT_THAT(std::string(CheckLogger(two, 1).message()),
              HasSubstr("'forward' of logger MyLogger must take one Tensor"));
  EXPECT_THAT(std::string(CheckLogger(one, 2).message()),
              HasSubstr("must take two Tensors, quantized and float"));
}

TEST(CheckLoggerTest, RefusesWhatIsNoLogger) {
  EXPECT_THAT(std::string(CheckLogger(3, 1).message()),
              HasSubstr("a logger must be an object"));
  EXPECT_EQ(
      CheckLogger(LoggerWith("def log(self, x: Tensor):\n    return x\n"), 1)
          .message(),
      "logger MyLogger has no method 'forward'");
  EXPECT_FALSE(
      CheckLogger(LoggerWith("def forward(self, x: int):\n    return x\n"), 1)
          .ok());
}

TEST(OutputLoggerFactoryTest, MakesANewLoggerEachTime) {
  const LoggerFactory factory = OutputLoggerFactory();
  EXPECT_FALSE(OrThrow(factory(Info("a"))).is(OrThrow(factory(Info("a")))));
}

}  // namespace
}  // namespace ns
