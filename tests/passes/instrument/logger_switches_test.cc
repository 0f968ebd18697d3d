#include "passes/instrument/logger_switches.h"

#include <ATen/Functions.h>

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/extraction/extract_logger_info.h"
#include "passes/instrument/add_loggers.h"
#include "tests/testing/ir.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::HasSubstr;

constexpr char kChain[] = R"IR(
graph(%x : Tensor):
  %a : Tensor = aten::sigmoid(%x)
  %b : Tensor = aten::neg(%a)
  return (%b))IR";

LoggerFactory Scripted(const std::string& source,
                       const Attributes& attributes) {
  return [=](const LoggerInfo&) -> absl::StatusOr<c10::IValue> {
    Attributes all = attributes;
    all.emplace_back("stats", c10::IValue(c10::List<at::Tensor>()));
    return c10::IValue(MakeModule("MyLogger", source, all)._ivalue());
  };
}

// A chain of two ops with loggers.
class Logged {
 public:
  explicit Logged(const LoggerFactory& logger = OutputLoggerFactory())
      : a_(ModelOf(kChain)), b_(ModelOf(kChain)) {
    LoggerOptions options;
    options.logger = logger;
    NS_EXPECT_OK(
        AddLoggers("a", a_, "b", b_, OrThrow(MatchSubgraphs(a_, b_)), options));
  }

  torch::jit::Module& module() { return a_.module(); }

  // How many values each of the two loggers has after another run.
  std::vector<size_t> Run() {
    OrThrow(a_.Run({at::ones({2})}));
    const Results results = OrThrow(ExtractLoggerInfo({a_.module()}));
    std::vector<size_t> counts;
    for (const char* layer : {"sigmoid", "neg"}) {
      counts.push_back(results.Find(layer)
                           ->at(kNodeOutputResult)
                           .at("a")
                           .at(0)
                           .values.size());
    }
    return counts;
  }

 private:
  ModelGraph a_;
  ModelGraph b_;
};

using Counts = std::vector<size_t>;

TEST(LoggerSwitchesTest, DisabledLoggersKeepNothing) {
  Logged logged;
  NS_ASSERT_OK(LoggersSetEnabled(logged.module(), false));
  EXPECT_EQ(logged.Run(), (Counts{0, 0}));
  NS_ASSERT_OK(LoggersSetEnabled(logged.module(), true));
  EXPECT_EQ(logged.Run(), (Counts{1, 1}));
}

TEST(LoggerSwitchesTest, SwitchesTheNamedLayersOnly) {
  Logged logged;
  NS_ASSERT_OK(LoggersSetEnabled(logged.module(), false, {"sigmoid"}));
  EXPECT_EQ(logged.Run(), (Counts{0, 1}));
  NS_ASSERT_OK(LoggersSetSaveActivations(logged.module(), false, {"neg"}));
  EXPECT_EQ(logged.Run(), (Counts{0, 1}));
  NS_ASSERT_OK(LoggersSetSaveActivations(logged.module(), true, {"neg"}));
  EXPECT_EQ(logged.Run(), (Counts{0, 2}));
}

TEST(LoggerSwitchesTest, SwitchesAttributesOfScriptedLoggers) {
  Logged logged(
      Scripted("def forward(self, x: Tensor) -> Tensor:\n"
               "    if self.enabled:\n"
               "        self.stats.append(x)\n"
               "    return x\n",
               {{"enabled", true}}));
  EXPECT_EQ(logged.Run(), (Counts{1, 1}));
  NS_ASSERT_OK(LoggersSetEnabled(logged.module(), false, {"neg"}));
  EXPECT_EQ(logged.Run(), (Counts{2, 1}));
}

TEST(LoggerSwitchesTest, RefusesLoggersWithoutTheSwitchAndSwitchesNone) {
  Logged logged(
      Scripted("def forward(self, x: Tensor) -> Tensor:\n"
               "    self.stats.append(x)\n"
               "    return x\n",
               {}));
  const std::string message(
      LoggersSetEnabled(logged.module(), false).message());
  EXPECT_THAT(message, HasSubstr("MyLogger of layer 'sigmoid' has neither a "
                                 "method 'set_enabled' nor a bool attribute "
                                 "'enabled'"));
}

TEST(LoggerSwitchesTest, RefusesUnknownLayersAndSwitchesNone) {
  Logged logged;
  EXPECT_EQ(LoggersSetEnabled(logged.module(), false, {"neg", "tanh"}),
            absl::NotFoundError("no logger is of layer 'tanh'"));
  EXPECT_EQ(logged.Run(), (Counts{1, 1}));
}

}  // namespace
}  // namespace ns
