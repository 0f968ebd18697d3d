#include "passes/matching/op_likeness.h"

#include <torch/csrc/jit/ir/ir.h>

#include <vector>

#include "gtest/gtest.h"
#include "tests/testing/named_graph.h"

namespace ns {
namespace {

constexpr char kText[] = R"IR(
graph(%x : Tensor, %unknown : int):
  %zero : int = prim::Constant[value=0]()
  %one : int = prim::Constant[value=1]()
  %half : float = prim::Constant[value=0.5]()
  %none : NoneType = prim::Constant()
  %first : Tensor = aten::select(%x, %one, %zero)
  %second : Tensor = aten::select(%x, %one, %one)
  %any : Tensor = aten::select(%x, %one, %unknown)
  %part : Tensor = aten::slice(%x, %one, %zero, %none, %one)
  %rest : Tensor = aten::slice(%x, %one, %zero, %one, %one)
  %twice : Tensor = aten::mul(%x, %half)
  %once : Tensor = aten::mul(%x, %one)
  %sizes : int[] = prim::ListConstruct(%one, %zero)
  %other : int[] = prim::ListConstruct(%zero, %one)
  %v : Tensor = aten::view(%x, %sizes)
  %w : Tensor = aten::view(%x, %other)
  %d : Tensor = aten::detach(%first)
  return (%first, %second))IR";

class OpLikenessTest : public testing::Test {
 protected:
  int Constants(const char* a, const char* b) const {
    return CountOtherConstants(*graph_.Named(a)->node(),
                               *graph_.Named(b)->node());
  }
  int Steps(const std::vector<const char*>& a,
            const std::vector<const char*>& b) const {
    return CountOtherSteps(Way(a), Way(b));
  }

 private:
  std::vector<Source> Way(const std::vector<const char*>& names) const {
    std::vector<Source> way;
    for (const char* name : names) {
      way.push_back({graph_.Named(name), -1});
    }
    return way;
  }

  const NamedGraph graph_{kText};
};

TEST_F(OpLikenessTest, CountsConstantsThatDiffer) {
  EXPECT_EQ(Constants("first", "first"), 0);
  EXPECT_EQ(Constants("first", "second"), 1);
  EXPECT_EQ(Constants("twice", "once"), 1);
  EXPECT_EQ(Constants("v", "w"), 1);
  EXPECT_EQ(Constants("part", "rest"), 1);
}

TEST_F(OpLikenessTest, DoesNotCountWhatOnlyARunTells) {
  EXPECT_EQ(Constants("first", "any"), 0);
  EXPECT_EQ(Constants("any", "second"), 0);
}

TEST_F(OpLikenessTest, ComparesArgumentsOfDifferentOpsByName) {
  EXPECT_EQ(Constants("first", "part"), 0);  // Both have `dim` 1.
  EXPECT_EQ(Constants("first", "twice"), 0);
}

TEST_F(OpLikenessTest, WaysDifferByOpsAndTheirConstants) {
  EXPECT_EQ(Steps({"first"}, {"first"}), 0);
  EXPECT_EQ(Steps({"first"}, {"second"}), 1);
  EXPECT_EQ(Steps({"first"}, {"part"}), 1);
  EXPECT_EQ(Steps({"first"}, {}), 1);
  EXPECT_EQ(Steps({"first", "part"}, {"first", "rest"}), 1);
}

TEST_F(OpLikenessTest, OpsThatKeepValuesMakeNoDifference) {
  EXPECT_EQ(Steps({"d", "first"}, {"first"}), 0);
  EXPECT_EQ(Steps({"d"}, {}), 0);
}

}  // namespace
}  // namespace ns
