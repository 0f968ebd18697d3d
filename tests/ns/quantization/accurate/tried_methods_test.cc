#include "ns/quantization/accurate/tried_methods.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace ns {
namespace {

TEST(TriedMethodsTest, WhatWasKeptIsDroppedAndOtherReasonsStay) {
  std::vector<TriedMethod> tried = {{"a", "m", 1, 2, ""},
                                    {"b", "m", 2, 1, std::string(kNoGain)}};
  DropKept(kOutputsWorse, tried);
  EXPECT_EQ(tried[0].reason, "the outputs of the model get worse");
  EXPECT_FALSE(tried[0].IsKept());
  EXPECT_EQ(tried[1].reason, "it gains nothing");
}

TEST(TriedMethodsTest, AWarningSaysWhatIsNotDoneAndWhy) {
  EXPECT_EQ(CannotMeasure("x is not done", absl::InternalError("no room")),
            "x is not done, as it cannot be measured what helps: no room");
}

}  // namespace
}  // namespace ns
