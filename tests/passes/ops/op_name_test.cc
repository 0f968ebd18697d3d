#include "passes/ops/op_name.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ns {
namespace {

TEST(OpNameTest, OperatorsHaveANamespace) {
  EXPECT_TRUE(IsOperator("aten::relu"));
  EXPECT_FALSE(IsOperator("my.package.Block"));
  EXPECT_FALSE(IsOperator(""));
}

TEST(OpNameTest, KnowsOperatorsOfTheTableAndOfTheProcess) {
  EXPECT_TRUE(IsKnownOperator("quantized::conv2d_relu"));
  // In LibTorch, and not in the table.
  EXPECT_TRUE(IsKnownOperator("aten::erfinv"));
  EXPECT_FALSE(IsKnownOperator("aten::no_such_op"));
}

TEST(OpNameTest, SaysHowAnUnknownOperatorBecomesKnown) {
  EXPECT_EQ(UnknownOp("my::op").message(),
            "no operator 'my::op'; load the library that registers it first");
}

}  // namespace
}  // namespace ns
