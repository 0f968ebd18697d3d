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

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
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

TEST(ExtractLoggerInfoTest, NamesLayerOfLoggerWithoutStats) {
  Module module("__torch__.M");
  const Module logger =
      MakeModule("Logger", "def forward(self, x: Tensor):\n    return x\n");
  LoggerInfo info;
  info.layer = "fc";
  AttachLogger(module, {c10::IValue(logger._ivalue()), info});
  EXPECT_THAT(MessageOf(ExtractLoggerInfo({module})), HasSubstr("fc"));
}

}  // namespace
}  // namespace ns
