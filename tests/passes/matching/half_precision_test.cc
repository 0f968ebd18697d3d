// Emulated half precision: an op between a dequantize and a cast to float16.
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/ir.h"
#include "tests/testing/matches.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;

constexpr char kFloat[] = R"IR(
graph(%x : Tensor, %w : Tensor, %b : Tensor):
  %y : Tensor = aten::linear(%x, %w, %b)
  %z : Tensor = aten::relu(%y)
  return (%z))IR";

// As kFloat with casts around; the last is to `dtype`.
std::string Emulated(int dtype) {
  return absl::StrCat(R"IR(
graph(%x : Tensor, %w : Tensor, %b : Tensor):
  %half : int = prim::Constant[value=5]()
  %dtype : int = prim::Constant[value=)IR",
                      dtype, R"IR(]()
  %no : bool = prim::Constant[value=0]()
  %none : NoneType = prim::Constant()
  %h : Tensor = aten::to(%x, %half, %no, %no, %none)
  %d : Tensor = aten::dequantize(%h)
  %y : Tensor = aten::linear(%d, %w, %b)
  %z : Tensor = aten::relu(%y)
  %o : Tensor = aten::to(%z, %dtype, %no, %no, %none)
  return (%o))IR");
}

MatchResult MatchStrictly(const ModelGraph& a, const ModelGraph& b) {
  MatchOptions options;
  options.mode = MatchingMode::kStrict;
  return OrThrow(MatchSubgraphs(a, b, options));
}

TEST(HalfPrecisionTest, TakesInTheCastsAroundTheOp) {
  const ModelGraph a = ModelOf(kFloat);
  const ModelGraph b = ModelOf(Emulated(5));
  EXPECT_THAT(MatchLines(MatchStrictly(a, b)),
              ElementsAre("linear: linear relu = dequantize linear relu to"));
}

TEST(HalfPrecisionTest, LeavesOutACastToAnotherType) {
  const ModelGraph a = ModelOf(kFloat);
  const ModelGraph b = ModelOf(Emulated(6));
  EXPECT_THAT(MatchLines(MatchStrictly(a, b)),
              ElementsAre("linear: linear relu = linear relu"));
}

}  // namespace
}  // namespace ns
