#include "passes/rewrite/promotes_out_of_place.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "tests/testing/ir.h"

namespace ns {
namespace {

// Whether the aten::add_ in the graph does, with `constant` for %c.
bool Promotes(absl::string_view text, const at::Tensor& constant) {
  const auto graph = GraphOf(text);
  const torch::jit::WithInsertPoint first(*graph->nodes().begin());
  graph->inputs()[1]->replaceAllUsesWith(graph->insertConstant(constant));
  return PromotesOutOfPlace(*NodeOf(*graph, "aten::add_"));
}

constexpr char kAdd[] = R"IR(
graph(%x : Tensor, %c : Tensor, %one : int):
  %y : Tensor = aten::add_(%x, %c, %one)
  return (%y))IR";

constexpr char kAddPart[] = R"IR(
graph(%x : Tensor, %c : Tensor, %one : int, %n : int):
  %row : Tensor = aten::unsqueeze(%c, %one)
  %part : Tensor = aten::narrow(%row, %one, %one, %n)
  %y : Tensor = aten::add_(%x, %part, %one)
  return (%y))IR";

// A cast to float32, or to float64 where `dtype` is 7.
std::string AddCast(int dtype) {
  return absl::StrCat(R"IR(
graph(%x : Tensor, %c : Tensor, %one : int, %no : bool, %none : NoneType):
  %dtype : int = prim::Constant[value=)IR",
                      dtype, R"IR(]()
  %cast : Tensor = aten::to(%c, %dtype, %no, %no, %none)
  %y : Tensor = aten::add_(%x, %cast, %one)
  return (%y))IR");
}

TEST(PromotesOutOfPlaceTest, WhereAnOperandIsWider) {
  EXPECT_TRUE(Promotes(kAdd, at::ones({8}, at::kDouble)));
  EXPECT_TRUE(Promotes(kAddPart, at::ones({8}, at::kDouble)));
  EXPECT_TRUE(Promotes(kAdd, at::ones({8}, at::kComplexFloat)));
  EXPECT_TRUE(Promotes(AddCast(7), at::ones({8})));
}

TEST(PromotesOutOfPlaceTest, NotWhereNoneIs) {
  EXPECT_FALSE(Promotes(kAdd, at::ones({8})));
  EXPECT_FALSE(Promotes(kAdd, at::ones({8}, at::kLong)));
  EXPECT_FALSE(Promotes(kAdd, at::ones({}, at::kDouble)));
  EXPECT_FALSE(Promotes(AddCast(6), at::ones({8}, at::kDouble)));
}

}  // namespace
}  // namespace ns
