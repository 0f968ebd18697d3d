#include "passes/extraction/extract_logger_info.h"

#include <ATen/Functions.h>

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/instrument/logger_info.h"
#include "passes/runtime/loggers/output_logger.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::torch::jit::Module;

void Attach(Module& module, const std::string& layer, int argument, int element,
            double value) {
  auto logger = c10::make_intrusive<OutputLogger>();
  logger->Forward(at::full({1}, value));
  LoggerInfo info;
  info.layer = layer;
  info.type = kNodeInputResult;
  info.model_name = "float";
  info.index_of_arg = argument;
  info.index_within_arg = element;
  AttachLogger(module, {c10::IValue(logger), info});
}

TEST(ExtractLoggerInfoTest, IsEmptyWithoutLoggers) {
  EXPECT_THAT(OrThrow(ExtractLoggerInfo({Module("__torch__.M")})).layers(),
              IsEmpty());
  EXPECT_THAT(OrThrow(ExtractLoggerInfo({})).layers(), IsEmpty());
}

TEST(ExtractLoggerInfoTest, SortsRecordsByArgumentThenElement) {
  Module module("__torch__.M");
  Attach(module, "cat", 1, 0, 3);
  Attach(module, "cat", 0, 1, 2);
  Attach(module, "cat", 0, 0, 1);
  const Results results = OrThrow(ExtractLoggerInfo({module}));
  std::vector<double> values;
  for (const SingleResult& record :
       results.Find("cat")->at(kNodeInputResult).at("float")) {
    values.push_back(record.values.at(0).item<double>());
  }
  EXPECT_THAT(values, ElementsAre(1, 2, 3));
}

TEST(ExtractLoggerInfoTest, OtherOutputsComeBehindTheFirstWithoutIntegers) {
  Module module("__torch__.M");
  const auto attach = [&](int index, const at::Tensor& value) {
    auto logger = c10::make_intrusive<OutputLogger>();
    logger->Forward(value);
    LoggerInfo info;
    info.layer = "lstm";
    info.type = kNodeOutputResult;
    info.model_name = "float";
    info.output_index = index;
    AttachLogger(module, {c10::IValue(logger), info});
  };
  attach(2, at::full({1}, 2.5));
  attach(1, at::ones({1}, at::kLong));
  attach(3, at::ones({1}, at::kBool));
  attach(0, at::ones({1}, at::kLong));
  const Results results = OrThrow(ExtractLoggerInfo({module}));
  const auto& records = results.Find("lstm")->at(kNodeOutputResult).at("float");
  ASSERT_THAT(records, SizeIs(2));
  EXPECT_EQ(records[0].info.output_index, 0);
  EXPECT_EQ(records[1].info.output_index, 2);
  EXPECT_EQ(records[1].values.at(0).item<double>(), 2.5);
}

TEST(ExtractLoggerInfoTest, SortsByNumberUnlessCompatIsAsked) {
  Module module("__torch__.M");
  for (const int element : {10, 2, 0}) {
    Attach(module, "cat", 0, element, element);
  }
  for (const bool compat : {false, true}) {
    const Results results = OrThrow(ExtractLoggerInfo({module}, {compat}));
    std::vector<int> elements;
    for (const SingleResult& record :
         results.Find("cat")->at(kNodeInputResult).at("float")) {
      elements.push_back(record.info.index_within_arg);
    }
    EXPECT_EQ(elements, compat ? (std::vector<int>{0, 10, 2})
                               : (std::vector<int>{0, 2, 10}));
  }
}

TEST(ExtractLoggerInfoTest, KeepsLayersInOrderOfLoggers) {
  Module module("__torch__.M");
  Attach(module, "z", 0, 0, 1);
  Attach(module, "a", 0, 0, 1);
  const Results results = OrThrow(ExtractLoggerInfo({module}));
  ASSERT_THAT(results.layers(), SizeIs(2));
  EXPECT_EQ(results.layers()[0].first, "z");
}

TEST(ExtractLoggerInfoTest, ReadsAttributeStats) {
  Module module("__torch__.M");
  c10::List<at::Tensor> stats;
  stats.push_back(at::ones({2}));
  const Module logger =
      MakeModule("Logger", "def forward(self, x: Tensor):\n    return x\n",
                 {{"stats", c10::IValue(stats)}});
  LoggerInfo info;
  info.layer = "fc";
  info.type = kNodeOutputResult;
  info.model_name = "float";
  AttachLogger(module, {c10::IValue(logger._ivalue()), info});
  const Results results = OrThrow(ExtractLoggerInfo({module}));
  EXPECT_THAT(
      results.Find("fc")->at(kNodeOutputResult).at("float").at(0).values,
      SizeIs(1));
}

TEST(ExtractLoggerInfoTest, LoggerWithoutStatsHasAnEmptyEntry) {
  Module module("__torch__.M");
  LoggerInfo info;
  info.layer = "fc";
  info.type = kNodeOutputResult;
  info.model_name = "float";
  const Module logger =
      MakeModule("Mute", "def forward(self, x: Tensor):\n    return x\n");
  AttachLogger(module, {c10::IValue(logger._ivalue()), info});
  const Results results = OrThrow(ExtractLoggerInfo({module}));
  const auto& records = results.Find("fc")->at(kNodeOutputResult).at("float");
  ASSERT_THAT(records, SizeIs(1));
  EXPECT_THAT(records[0].values, IsEmpty());
}

TEST(ExtractLoggerInfoTest, FailingStatsNameTheLayer) {
  for (const char* get_stats :
       {"def get_stats(self):\n    return 3\n",
        "def get_stats(self):\n    return [torch.ones([2]).view([3])]\n"}) {
    Module module("__torch__.M");
    LoggerInfo info;
    info.layer = "fc";
    AttachLogger(module,
                 {c10::IValue(MakeModule("Bad", get_stats)._ivalue()), info});
    EXPECT_THAT(
        MessageOf(ExtractLoggerInfo({module})),
        AllOf(HasSubstr("reading the logger of fc"), Not(HasSubstr("\n"))));
  }
}

// A logger of class "Mine", whose only value is `value`.
void AttachMine(Module& module, const std::string& layer, double value) {
  c10::List<at::Tensor> stats;
  stats.push_back(at::full({1}, value));
  const Module logger =
      MakeModule("Mine", "def forward(self, x: Tensor):\n    return x\n",
                 {{"stats", c10::IValue(stats)}});
  LoggerInfo info;
  info.layer = layer;
  info.type = kNodeInputResult;
  info.model_name = "float";
  AttachLogger(module, {c10::IValue(logger._ivalue()), info});
}

std::vector<double> ValuesOf(const Results& results, const std::string& layer) {
  std::vector<double> values;
  for (const SingleResult& record :
       results.Find(layer)->at(kNodeInputResult).at("float")) {
    values.push_back(record.values.at(0).item<double>());
  }
  return values;
}

TEST(ExtractLoggerInfoTest, ReadsLoggersOfOneClass) {
  Module module("__torch__.M");
  Attach(module, "fc", 0, 0, 1);
  AttachMine(module, "fc", 2);
  Attach(module, "relu", 0, 0, 3);
  ExtractLoggerInfoOptions options;
  EXPECT_THAT(ValuesOf(OrThrow(ExtractLoggerInfo({module}, options)), "fc"),
              ElementsAre(1, 2));
  options.logger_class = "Mine";
  const Results mine = OrThrow(ExtractLoggerInfo({module}, options));
  EXPECT_THAT(mine.layers(), SizeIs(1));
  EXPECT_THAT(ValuesOf(mine, "fc"), ElementsAre(2));
  for (const char* name : {"OutputLogger", "torch.classes.ns.OutputLogger"}) {
    options.logger_class = name;
    const Results ours = OrThrow(ExtractLoggerInfo({module}, options));
    EXPECT_THAT(ours.layers(), SizeIs(2));
    EXPECT_THAT(ValuesOf(ours, "fc"), ElementsAre(1));
  }
}

// What the loggers of another class keep need not be tensors.
TEST(ExtractLoggerInfoTest, LooksOnlyAtLoggersOfTheClass) {
  Module module("__torch__.M");
  Attach(module, "fc", 0, 0, 1);
  const Module unreadable = MakeModule(
      "Other", "def forward(self, x: Tensor):\n    return x\n", {{"stats", 3}});
  LoggerInfo info;
  info.layer = "relu";
  AttachLogger(module, {c10::IValue(unreadable._ivalue()), info});
  ExtractLoggerInfoOptions options;
  EXPECT_FALSE(ExtractLoggerInfo({module}, options).ok());
  options.logger_class = "OutputLogger";
  EXPECT_TRUE(ExtractLoggerInfo({module}, options).ok());
}

TEST(ExtractLoggerInfoTest, SaysWhichClassesThereAre) {
  Module module("__torch__.M");
  ExtractLoggerInfoOptions options;
  options.logger_class = "Mine";
  EXPECT_THAT(MessageOf(ExtractLoggerInfo({module}, options)),
              HasSubstr("no logger is of class 'Mine'; the models have no"));
  Attach(module, "fc", 0, 0, 1);
  EXPECT_THAT(MessageOf(ExtractLoggerInfo({module}, options)),
              HasSubstr("there are torch.classes.ns.OutputLogger"));
}

// A logger of `model`, which has a name of its own for `layer`, or "".
void AttachOf(Module& module, const std::string& model,
              const std::string& layer, const std::string& layer_in_model) {
  LoggerInfo info;
  info.layer = layer;
  info.layer_in_model = layer_in_model;
  info.type = kNodeOutputResult;
  info.model_name = model;
  AttachLogger(module,
               {c10::IValue(c10::make_intrusive<OutputLogger>()), info});
}

std::vector<std::string> LayerNamesOf(const Results& results) {
  std::vector<std::string> names;
  for (const auto& [name, by_type] : results.layers()) {
    for (const auto& [model, records] : by_type.at(kNodeOutputResult)) {
      for (const SingleResult& record : records) {
        EXPECT_EQ(record.info.layer, name);
      }
    }
    names.push_back(name);
  }
  return names;
}

TEST(ExtractLoggerInfoTest, CallsLayersByTheNamesOfOneModel) {
  Module a("__torch__.A");
  Module b("__torch__.B");
  for (const std::string layer : {"fc", "relu"}) {
    AttachOf(a, "float", "module." + layer, layer);
    AttachOf(b, "int8", "module." + layer, "module." + layer);
  }
  ExtractLoggerInfoOptions options;
  EXPECT_THAT(LayerNamesOf(OrThrow(ExtractLoggerInfo({a, b}, options))),
              ElementsAre("module.fc", "module.relu"));
  options.model_name_to_use_for_layer_names = "int8";
  EXPECT_THAT(LayerNamesOf(OrThrow(ExtractLoggerInfo({a, b}, options))),
              ElementsAre("module.fc", "module.relu"));
  options.model_name_to_use_for_layer_names = "float";
  const Results results = OrThrow(ExtractLoggerInfo({b, a}, options));
  EXPECT_THAT(LayerNamesOf(results), ElementsAre("fc", "relu"));
  EXPECT_THAT(results.Find("fc")->at(kNodeOutputResult), SizeIs(2));
}

// Loggers of earlier versions do not tell, nor do layers of one model alone.
TEST(ExtractLoggerInfoTest, KeepsLayersApartThatTheModelHasNoNameFor) {
  Module module("__torch__.M");
  AttachOf(module, "float", "a", "b");
  AttachOf(module, "int8", "b", "b");
  AttachOf(module, "float", "c", "");
  ExtractLoggerInfoOptions options;
  options.model_name_to_use_for_layer_names = "float";
  EXPECT_THAT(LayerNamesOf(OrThrow(ExtractLoggerInfo({module}, options))),
              ElementsAre("b", "b@1", "c"));
}

TEST(ExtractLoggerInfoTest, SaysWhichModelsThereAre) {
  Module module("__torch__.M");
  ExtractLoggerInfoOptions options;
  options.model_name_to_use_for_layer_names = "fp32";
  EXPECT_THAT(OrThrow(ExtractLoggerInfo({module}, options)).layers(),
              IsEmpty());
  AttachOf(module, "float", "fc", "fc");
  EXPECT_EQ(MessageOf(ExtractLoggerInfo({module}, options)),
            "no logger is of model 'fp32'; there are float");
}

}  // namespace
}  // namespace ns
