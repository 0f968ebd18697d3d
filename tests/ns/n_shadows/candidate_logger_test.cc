#include "ns/n_shadows/candidate_logger.h"

#include <ATen/Functions.h>

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/runtime/loggers/output_comparison_logger.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::HasSubstr;

constexpr char kForward[] =
    "def forward(self, candidate: Tensor, value: Tensor):\n"
    "    return candidate\n";
constexpr char kSwitches[] =
    "def is_enabled(self):\n"
    "    return self.enabled\n"
    "def set_enabled(self, enabled: bool):\n"
    "    self.enabled = enabled\n";

// A factory of loggers with these methods.
LoggerFactory FactoryOf(const std::string& methods) {
  return [methods](const LoggerInfo&) {
    return absl::StatusOr<c10::IValue>(
        MakeModule("Mine", methods, {{"enabled", true}})._ivalue());
  };
}

TEST(CandidateLoggerTest, OursIsDisabled) {
  const c10::IValue logger = OrThrow(MakeCandidateLogger(nullptr, {}));
  EXPECT_FALSE(logger.toCustomClass<OutputComparisonLogger>()->IsEnabled());
}

TEST(CandidateLoggerTest, AUsersIsDisabledToo) {
  const c10::IValue logger = OrThrow(
      MakeCandidateLogger(FactoryOf(std::string(kForward) + kSwitches), {}));
  EXPECT_FALSE(torch::jit::Object(logger.toObject()).attr("enabled").toBool());
}

TEST(CandidateLoggerTest, NeedsAllMethods) {
  EXPECT_THAT(MessageOf(MakeCandidateLogger(FactoryOf(kForward), {})),
              HasSubstr("is_enabled() -> bool"));
  EXPECT_THAT(MessageOf(MakeCandidateLogger(FactoryOf(kSwitches), {})),
              HasSubstr("no method 'forward'"));
  const std::string counts =
      "def is_enabled(self):\n"
      "    return 1\n"
      "def set_enabled(self, enabled: bool):\n"
      "    self.enabled = enabled\n";
  EXPECT_THAT(MessageOf(MakeCandidateLogger(FactoryOf(kForward + counts), {})),
              HasSubstr("is_enabled() -> bool"));
}

TEST(CandidateLoggerTest, WhatTheFactoryReturnsIsHandedOn) {
  const LoggerFactory refuses =
      [](const LoggerInfo&) -> absl::StatusOr<c10::IValue> {
    return absl::NotFoundError("none left");
  };
  EXPECT_EQ(MakeCandidateLogger(refuses, {}).status(),
            absl::NotFoundError("none left"));
}

}  // namespace
}  // namespace ns
