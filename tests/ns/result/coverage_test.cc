#include "ns/result/coverage.h"

#include "gtest/gtest.h"

namespace ns {
namespace {

// Reports are read by these names.
TEST(RunsInNameTest, EveryPrecisionHasItsName) {
  EXPECT_STREQ(RunsInName(RunsIn::kInt8), "int8");
  EXPECT_STREQ(RunsInName(RunsIn::kInt8Weights), "int8 weights");
  EXPECT_STREQ(RunsInName(RunsIn::kHalfWeights), "float16 weights");
  EXPECT_STREQ(RunsInName(RunsIn::kFloat), "float");
}

}  // namespace
}  // namespace ns
