#include "ns/eager/module_logger.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/flatten/inline_modules.h"
#include "ir/graph/module_path.h"
#include "ir/graph/verifier.h"
#include "passes/instrument/logger_info.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using ::torch::jit::Node;

class ModuleLoggerTest : public ::testing::Test {
 protected:
  // A model that calls a module of type Part, which returns `outputs` of x.
  static ModelGraph ModelOf(const std::string& outputs) {
    return OrThrow(ModelGraph::FromModule(
        MakeModel({{"part", MakeModule("Part",
                                       "def forward(self, x: Tensor):\n"
                                       "    return " +
                                           outputs + "\n")}},
                  {"return self.part.forward(x)"}),
        {"forward", [](const ModulePath&) { return true; }}));
  }

  static Node* CallIn(const ModelGraph& model) {
    return LeafCalls(model.graph()).at(0);
  }

  static LoggerInfo InfoOf(const ModelGraph& model) {
    return ModuleLoggerInfo(ModulePathOf(*CallIn(model)), "quantized");
  }

  // Logs what the call returns, behind it.
  static absl::Status Log(ModelGraph& model) {
    Node* call = CallIn(model);
    const ModuleLogger logger = OrThrow(ModuleLogger::Attach(
        model, OutputLoggerFactory(), InfoOf(model), /*arity=*/1, call));
    return logger.Call({call->output()}, call->next());
  }

  static std::vector<at::Tensor> Kept(const AttachedLogger& logger) {
    return OrThrow(ReadStats(logger.object)).toTensorVector();
  }

  const at::Tensor x_ = at::ones({2});
};

TEST_F(ModuleLoggerTest, IsDescribedByItsModule) {
  const LoggerInfo info = InfoOf(ModelOf("x"));
  EXPECT_EQ(info.layer, "part");
  EXPECT_EQ(info.fqn, "part");
  EXPECT_EQ(info.type, kNodeOutputResult);
  EXPECT_EQ(info.model_name, "quantized");
  EXPECT_THAT(info.ref_node_target_type, HasSubstr("Part"));
  EXPECT_EQ(info.prev_node_target_type, info.ref_node_target_type);
}

TEST_F(ModuleLoggerTest, LogsTheOutputOfTheCall) {
  ModelGraph model = ModelOf("torch.neg(x)");
  NS_ASSERT_OK(Log(model));
  NS_ASSERT_OK(VerifyGraph(model.graph()));
  EXPECT_TRUE(OrThrow(model.Run({x_})).toTensor().equal(-x_));
  const std::vector<AttachedLogger> loggers =
      AllAttachedLoggers(model.module());
  ASSERT_EQ(loggers.size(), 1);
  EXPECT_EQ(loggers[0].info.output_name, "");
  const std::vector<at::Tensor> kept = Kept(loggers[0]);
  ASSERT_EQ(kept.size(), 1);
  EXPECT_TRUE(kept[0].equal(-x_));
}

TEST_F(ModuleLoggerTest, EachTensorOfATupleHasALogger) {
  ModelGraph model = ModelOf("torch.neg(x), (x, torch.add(x, x))");
  NS_ASSERT_OK(Log(model));
  NS_ASSERT_OK(VerifyGraph(model.graph()));
  OrThrow(model.Run({x_}));
  const std::vector<AttachedLogger> loggers =
      AllAttachedLoggers(model.module());
  std::vector<std::string> names;
  std::vector<float> values;
  for (const AttachedLogger& logger : loggers) {
    EXPECT_EQ(logger.info.output_index, names.size());
    names.push_back(logger.info.output_name);
    values.push_back(Kept(logger).at(0)[0].item<float>());
  }
  EXPECT_THAT(names, ElementsAre("output", "1", "2"));
  EXPECT_THAT(values, ElementsAre(-1, 1, 2));
  // Who looks for the layer finds its first output.
  EXPECT_EQ(AttachedLoggers(model.module()).size(), 1);
}

// A float module may return less than the quantized one.
TEST_F(ModuleLoggerTest, LogsAsManyTensorsAsEveryValueHas) {
  ModelGraph model = ModelOf("torch.neg(x), x");
  Node* call = CallIn(model);
  const ModuleLogger logger = OrThrow(ModuleLogger::Attach(
      model, OutputLoggerFactory(), InfoOf(model), /*arity=*/1, call));
  NS_ASSERT_OK(logger.Call({model.graph().inputs().at(1)}, call));
  OrThrow(model.Run({x_}));
  const std::vector<AttachedLogger> loggers =
      AllAttachedLoggers(model.module());
  ASSERT_EQ(loggers.size(), 2);
  EXPECT_EQ(Kept(loggers[0]).size(), 1);
  EXPECT_THAT(Kept(loggers[1]), IsEmpty());
}

TEST_F(ModuleLoggerTest, AValueWithoutTensorsIsNamedByItsModule) {
  ModelGraph model = ModelOf("x.dim()");
  const absl::Status status = Log(model);
  EXPECT_THAT(std::string(status.message()),
              AllOf(StartsWith("module 'part': "), HasSubstr("of type int")));
}

TEST_F(ModuleLoggerTest, RefusesLoggersThatTakeAnythingElse) {
  ModelGraph model = ModelOf("x");
  EXPECT_THAT(MessageOf(ModuleLogger::Attach(model, OutputLoggerFactory(),
                                             InfoOf(model), /*arity=*/2)),
              HasSubstr("must take two Tensors"));
  EXPECT_THAT(AllAttachedLoggers(model.module()), IsEmpty());
}

TEST_F(ModuleLoggerTest, ErrorsOfTheFactoryAreHandedOn) {
  ModelGraph model = ModelOf("x");
  const LoggerFactory factory =
      [](const LoggerInfo& info) -> absl::StatusOr<c10::IValue> {
    return absl::NotFoundError("no logger of " + info.fqn);
  };
  EXPECT_EQ(ModuleLogger::Attach(model, factory, InfoOf(model), 1).status(),
            absl::NotFoundError("no logger of part"));
}

}  // namespace
}  // namespace ns
