#include "passes/rewrite/kernel_ranks.h"

#include <torch/csrc/jit/ir/ir.h>

#include "gtest/gtest.h"
#include "ir/base/refusal.h"
#include "tests/testing/named_graph.h"

namespace ns {
namespace {

TEST(KernelRanksTest, LinearLayersTakeMatrices) {
  EXPECT_TRUE(IsRefusal(CheckDynamicLinearRank(0)));
  EXPECT_TRUE(IsRefusal(CheckDynamicLinearRank(1)));
  EXPECT_TRUE(CheckDynamicLinearRank(2).ok());
  EXPECT_TRUE(CheckDynamicLinearRank(5).ok());
}

TEST(KernelRanksTest, IndicesHaveOneOrTwoDimensions) {
  EXPECT_TRUE(IsRefusal(CheckIndicesRank(0)));
  EXPECT_TRUE(CheckIndicesRank(1).ok());
  EXPECT_TRUE(CheckIndicesRank(2).ok());
  EXPECT_TRUE(IsRefusal(CheckIndicesRank(3)));
}

TEST(KernelRanksTest, TypesWithoutARankAreTaken) {
  const NamedGraph graph(R"IR(
graph(%x : Tensor, %v : Float(3), %m : Float(2, 3), %n : int):
  return (%x))IR");
  EXPECT_TRUE(CheckTypeOf(*graph.Named("x"), CheckDynamicLinearRank).ok());
  EXPECT_TRUE(CheckTypeOf(*graph.Named("m"), CheckDynamicLinearRank).ok());
  EXPECT_TRUE(CheckTypeOf(*graph.Named("n"), CheckDynamicLinearRank).ok());
  EXPECT_TRUE(
      IsRefusal(CheckTypeOf(*graph.Named("v"), CheckDynamicLinearRank)));
}

}  // namespace
}  // namespace ns
