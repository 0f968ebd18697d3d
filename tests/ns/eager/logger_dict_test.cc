#include "ns/eager/logger_dict.h"

#include <ATen/Functions.h>

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/instrument/logger_info.h"
#include "passes/runtime/loggers/output_logger.h"
#include "passes/runtime/loggers/shadow_logger.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::torch::jit::Module;

void Attach(Module& module, const std::string& path,
            const c10::IValue& logger) {
  LoggerInfo info;
  info.layer = path;
  AttachLogger(module, {logger, info});
}

TEST(LoggerDictTest, HasListsOfEitherKindOfLogger) {
  Module module("__torch__.Model");
  auto output_logger = c10::make_intrusive<OutputLogger>();
  output_logger->Forward(at::ones({2}));
  Attach(module, "b", c10::IValue(output_logger));
  auto shadow_logger = c10::make_intrusive<ShadowLogger>();
  shadow_logger->Forward(at::zeros({2}), at::ones({2}));
  Attach(module, "a.0", c10::IValue(shadow_logger));
  const LoggerDict dict = OrThrow(GetLoggerDict(module));
  ASSERT_THAT(dict, SizeIs(2));
  EXPECT_EQ(dict[0].first, "b.stats");
  EXPECT_THAT(dict[0].second.at(kTensorVal), SizeIs(1));
  EXPECT_EQ(dict[1].first, "a.0.stats");
  EXPECT_TRUE(dict[1].second.at(kFloatValues)[0].equal(at::ones({2})));
  EXPECT_TRUE(dict[1].second.at(kQuantizedValues)[0].equal(at::zeros({2})));
}

TEST(LoggerDictTest, PrefixStandsBeforePath) {
  Module module("__torch__.Model");
  Attach(module, "fc", c10::IValue(c10::make_intrusive<OutputLogger>()));
  Attach(module, "", c10::IValue(c10::make_intrusive<OutputLogger>()));
  const LoggerDict dict = OrThrow(GetLoggerDict(module, "model.sub"));
  EXPECT_NE(FindStats(dict, "model.sub.fc.stats"), nullptr);
  EXPECT_NE(FindStats(dict, "model.sub.stats"), nullptr);
  EXPECT_EQ(FindStats(dict, "fc.stats"), nullptr);
}

TEST(LoggerDictTest, ReadsAttributeStatsOfLoggersWithoutGetStats) {
  Module module("__torch__.Model");
  c10::Dict<std::string, std::vector<at::Tensor>> stats;
  stats.insert("errors",
               std::vector<at::Tensor>{at::ones({1}), at::zeros({1})});
  Attach(module, "fc", MakeModule("Dict", "", {{"stats", stats}})._ivalue());
  EXPECT_THAT(OrThrow(GetLoggerDict(module))[0].second.at("errors"), SizeIs(2));
}

TEST(LoggerDictTest, LoggerWithNeitherHasAnEmptyEntry) {
  Module module("__torch__.Model");
  Attach(module, "fc", MakeModule("Mute", "")._ivalue());
  const LoggerDict dict = OrThrow(GetLoggerDict(module));
  ASSERT_THAT(dict, SizeIs(1));
  EXPECT_EQ(dict[0].first, "fc.stats");
  EXPECT_THAT(dict[0].second, IsEmpty());
}

TEST(LoggerDictTest, StatsOfAnotherTypeAreAnErrorOfOneLine) {
  Module module("__torch__.Model");
  Attach(module, "fc", MakeModule("Odd", "", {{"stats", 3}})._ivalue());
  EXPECT_THAT(
      MessageOf(GetLoggerDict(module)),
      AllOf(HasSubstr("reading the logger of 'fc'"), Not(HasSubstr("\n"))));
}

TEST(LoggerDictTest, ModuleWithoutLoggersHasNone) {
  EXPECT_THAT(OrThrow(GetLoggerDict(Relu())), IsEmpty());
}

}  // namespace
}  // namespace ns
