#include "ns/eager/matching_activations.h"

#include <ATen/Functions.h>

#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/instrument/logger_info.h"
#include "passes/runtime/loggers/output_logger.h"
#include "passes/runtime/loggers/shadow_logger.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::torch::jit::Module;

// A model whose modules at these paths have logged these numbers.
Module Logged(const std::vector<std::pair<std::string, double>>& values) {
  Module module("__torch__.Model");
  for (const auto& [path, value] : values) {
    auto logger = c10::make_intrusive<OutputLogger>();
    logger->Forward(at::scalar_tensor(value));
    LoggerInfo info;
    info.layer = path;
    AttachLogger(module, {c10::IValue(logger), info});
  }
  return module;
}

// "<key> <float number>" of each match.
std::vector<std::string> Matches(const Module& of_float,
                                 const Module& quantized, bool compat) {
  std::vector<std::string> matches;
  for (const auto& [key, stats] :
       OrThrow(GetMatchingActivations(of_float, quantized, {compat}))) {
    matches.push_back(key + " " +
                      std::to_string(static_cast<int>(
                          stats.at(kFloatValues)[0].item<double>())));
  }
  return matches;
}

TEST(MatchingActivationsTest, MatchesPathsInOrderOfQuantizedModel) {
  EXPECT_THAT(Matches(Logged({{"a", 1}, {"b", 2}, {"c", 3}}),
                      Logged({{"b", 0}, {"a", 0}, {"x", 0}}), false),
              ElementsAre("b.stats 2", "a.stats 1"));
}

TEST(MatchingActivationsTest, TakesLastChildWhereFloatModuleIsNotLogged) {
  EXPECT_THAT(Matches(Logged({{"conv.0", 1}, {"conv.1", 2}}),
                      Logged({{"conv", 0}}), false),
              ElementsAre("conv.stats 2"));
}

TEST(MatchingActivationsTest, CompatTakesPathWithOtherDots) {
  const Module of_float = Logged({{"a.bc", 1}, {"ab.c", 2}});
  const Module quantized = Logged({{"a.bc", 0}});
  EXPECT_THAT(Matches(of_float, quantized, false), ElementsAre("a.bc.stats 1"));
  EXPECT_THAT(Matches(of_float, quantized, true), ElementsAre("a.bc.stats 2"));
}

TEST(MatchingActivationsTest, CompatTakesChildThatSortsBehindStats) {
  const Module of_float = Logged({{"a", 1}, {"a.z", 2}});
  const Module quantized = Logged({{"a", 0}});
  EXPECT_THAT(Matches(of_float, quantized, false), ElementsAre("a.stats 1"));
  EXPECT_THAT(Matches(of_float, quantized, true), ElementsAre("a.stats 2"));
}

TEST(MatchingActivationsTest, LoggersOfPairsAreAnError) {
  Module stubs("__torch__.Model");
  LoggerInfo info;
  info.layer = "fc";
  AttachLogger(stubs, {c10::IValue(c10::make_intrusive<ShadowLogger>()), info});
  EXPECT_THAT(MessageOf(GetMatchingActivations(Logged({{"fc", 1}}), stubs)),
              HasSubstr("the logger of 'fc.stats' keeps pairs"));
}

}  // namespace
}  // namespace ns
