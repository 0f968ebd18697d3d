#include "passes/matching/matches/replaced_inputs.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/matching/graph_matcher.h"
#include "tests/testing/ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> Replaced(absl::string_view text_a,
                                  absl::string_view text_b) {
  const ModelGraph a = ModelOf(text_a);
  const ModelGraph b = ModelOf(text_b);
  return ReplacedInputs(OrThrow(MatchSubgraphs(a, b)));
}

// A model with `op` between a sigmoid and a multiplication.
std::string With(absl::string_view op) {
  return absl::StrCat(R"IR(
graph(%x : Tensor, %w : Tensor):
  %s : Tensor = aten::sigmoid(%x)
  %t : Tensor = )IR",
                      op, R"IR((%s)
  %y : Tensor = aten::matmul(%t, %w)
  return (%y))IR");
}

TEST(ReplacedInputsTest, NamesBothOps) {
  EXPECT_THAT(
      Replaced(With("aten::relu"), With("aten::relu6")),
      ElementsAre(IsEmpty(), HasSubstr("(aten::relu) in the float model and "
                                       "from")));
}

TEST(ReplacedInputsTest, OpsWithCounterpartsAreNotReplaced) {
  EXPECT_THAT(Replaced(With("aten::tanh"), With("aten::tanh")),
              Each(IsEmpty()));
}

// UnpairedInputs has the reason then.
TEST(ReplacedInputsTest, AnOpThatOneModelLacksIsNotReplaced) {
  EXPECT_THAT(Replaced(With("aten::tanh"), R"IR(
graph(%x : Tensor, %w : Tensor):
  %s : Tensor = aten::sigmoid(%x)
  %y : Tensor = aten::matmul(%s, %w)
  return (%y))IR"),
              Each(IsEmpty()));
}

TEST(ReplacedInputsTest, NamesWhatOneModelAlonePads) {
  EXPECT_THAT(Replaced(R"IR(
graph(%x : Tensor, %w : Tensor):
  %y : Tensor = aten::matmul(%x, %w)
  return (%y))IR",
                       R"IR(
graph(%x : Tensor, %w : Tensor):
  %sizes : int[] = prim::Constant[value=[0, 2]]()
  %zero : int = prim::Constant[value=0]()
  %p : Tensor = aten::constant_pad_nd(%x, %sizes, %zero)
  %y : Tensor = aten::matmul(%p, %w)
  return (%y))IR"),
              ElementsAre(HasSubstr("in the quantized model goes through")));
}

// A reshape is written in many ways.
TEST(ReplacedInputsTest, ReshapesDoNotCount) {
  EXPECT_THAT(Replaced(R"IR(
graph(%x : Tensor, %w : Tensor):
  %y : Tensor = aten::matmul(%x, %w)
  return (%y))IR",
                       R"IR(
graph(%x : Tensor, %w : Tensor):
  %one : int = prim::Constant[value=1]()
  %two : int = prim::Constant[value=2]()
  %f : Tensor = aten::flatten(%x, %one, %two)
  %y : Tensor = aten::matmul(%f, %w)
  return (%y))IR"),
              Each(IsEmpty()));
}

}  // namespace
}  // namespace ns
