#include "ns/eager/find_match.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ns {
namespace {

using ::testing::Eq;
using ::testing::Optional;

TEST(FindMatchTest, TakesKeyOfSamePath) {
  EXPECT_THAT(
      FindMatch({"ab.c.weight", "a.bc.bias", "a.bc.weight"}, "a.bc", "weight"),
      Optional(Eq("a.bc.weight")));
}

TEST(FindMatchTest, PrefersPathToChildThatComesFirst) {
  EXPECT_THAT(FindMatch({"a.x.weight", "a.weight"}, "a", "weight"),
              Optional(Eq("a.weight")));
}

TEST(FindMatchTest, TakesFirstChildWithTheName) {
  EXPECT_THAT(FindMatch({"conv.0.bias", "conv.0.weight", "conv.1.weight"},
                        "conv", "weight"),
              Optional(Eq("conv.0.weight")));
}

TEST(FindMatchTest, TakesNoGrandchildAndNoOtherName) {
  EXPECT_EQ(FindMatch({"a.b.c.weight", "a.bias"}, "a", "weight"), std::nullopt);
}

TEST(FindMatchTest, RootMatchesRootAlone) {
  EXPECT_THAT(FindMatch({"fc.stats", "stats"}, "", "stats"),
              Optional(Eq("stats")));
  EXPECT_EQ(FindMatch({"fc.stats"}, "", "stats"), std::nullopt);
}

TEST(FindMatchAsReferenceTest, TakesPathWithOtherDots) {
  EXPECT_THAT(FindMatchAsReference({"ab.c.weight", "a.bc.weight"},
                                   "a.bc.weight", "weight"),
              Optional(Eq("ab.c.weight")));
}

TEST(FindMatchAsReferenceTest, TakesAnyNameOfModuleOrItsParent) {
  EXPECT_THAT(FindMatchAsReference({"a.bias"}, "a.weight", "weight"),
              Optional(Eq("a.bias")));
  EXPECT_THAT(FindMatchAsReference({"a.0.weight"}, "a.weight", "weight"),
              Optional(Eq("a.0.weight")));
}

TEST(FindMatchAsReferenceTest, DropsTwoPartsOfPackedParams) {
  EXPECT_THAT(
      FindMatchAsReference({"fc.weight"}, "fc._packed_params._packed_params",
                           "_packed_params"),
      Optional(Eq("fc.weight")));
  EXPECT_EQ(FindMatchAsReference({"fc.weight"}, "_packed_params._packed_params",
                                 "_packed_params"),
            std::nullopt);
}

TEST(FindMatchAsReferenceTest, KeyMustEndInPostfix) {
  EXPECT_EQ(FindMatchAsReference({"a.weight"}, "a.bias", "weight"),
            std::nullopt);
}

}  // namespace
}  // namespace ns
