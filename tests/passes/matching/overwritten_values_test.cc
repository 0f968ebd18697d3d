#include "passes/matching/overwritten_values.h"

#include <torch/csrc/jit/ir/ir.h>

#include "gtest/gtest.h"
#include "tests/testing/named_graph.h"

namespace ns {
namespace {

// %r1, %r2, ... read %a, and %w1, %w2, ... write to it.
constexpr char kWrites[] = R"IR(
graph(%x : Tensor, %s : float, %z : int, %p : bool):
  %a : Tensor = aten::sin(%x)
  %r1 : Tensor = aten::cos(%a)
  %y : Tensor = prim::Loop(%z, %p, %x)
    block0(%i : int, %v : Tensor):
      %c : Tensor = aten::sin(%v)
      %r2 : Tensor = aten::cos(%a)
      %u : Tensor = aten::select(%a, %z, %z)
      %w1 : Tensor = aten::mul_(%u, %s)
      %r3 : Tensor = aten::cos(%a)
      %rc : Tensor = aten::cos(%c)
      %wc : Tensor = aten::mul_(%c, %s)
      -> (%p, %rc)
  %r4 : Tensor = aten::cos(%a)
  return (%r1, %y, %r4))IR";

class OverwrittenValuesTest : public testing::Test {
 protected:
  bool IsOverwritten(const char* value, const char* reader) const {
    return values_.IsOverwritten(graph_.Named(value),
                                 *graph_.Named(reader)->node());
  }
  bool IsOverwrittenInBlock(const char* value, const char* reader) const {
    return values_.IsOverwrittenInBlock(graph_.Named(value),
                                        *graph_.Named(reader)->node());
  }

  const NamedGraph graph_{kWrites};
  const OverwrittenValues values_{*graph_};
};

TEST_F(OverwrittenValuesTest, WritesInFrontCount) {
  EXPECT_FALSE(IsOverwritten("a", "r1"));
  EXPECT_TRUE(IsOverwritten("a", "r3"));
  EXPECT_TRUE(IsOverwritten("a", "r4"));
}

TEST_F(OverwrittenValuesTest, WritesOnEarlierTripsCount) {
  EXPECT_TRUE(IsOverwritten("a", "r2"));
  // Made anew on each trip.
  EXPECT_FALSE(IsOverwritten("c", "rc"));
}

TEST_F(OverwrittenValuesTest, InABlockOnlyWritesInItCount) {
  EXPECT_FALSE(IsOverwrittenInBlock("a", "r2"));
  EXPECT_TRUE(IsOverwrittenInBlock("a", "r3"));
}

TEST_F(OverwrittenValuesTest, WhatAnOpInPlaceGivesIsMadeByIt) {
  EXPECT_FALSE(
      values_.IsOverwritten(graph_.Named("w1"), *graph_.Named("r3")->node()));
}

TEST_F(OverwrittenValuesTest, OtherTensorsAreNotOverwritten) {
  EXPECT_FALSE(IsOverwritten("r1", "r4"));
}

TEST(OverwrittenValuesWithoutWritersTest, NothingIsOverwritten) {
  const NamedGraph graph(R"IR(
graph(%x : Tensor):
  %a : Tensor = aten::sin(%x)
  %b : Tensor = aten::cos(%a)
  return (%b))IR");
  const OverwrittenValues values(*graph);
  EXPECT_FALSE(
      values.IsOverwritten(graph.Named("a"), *graph.Named("b")->node()));
}

}  // namespace
}  // namespace ns
