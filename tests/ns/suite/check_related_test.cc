#include "ns/suite/check_related.h"

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/matching/graph_matcher.h"
#include "tests/testing/ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Warnings = std::vector<std::string>;

constexpr char kFloat[] = R"IR(
graph(%x : Tensor):
  %h : Tensor = aten::sigmoid(%x)
  %y : Tensor = aten::hardswish(%h)
  return (%y))IR";

constexpr char kQuantized[] = R"IR(
graph(%x : Tensor, %s : float, %z : int):
  %h : Tensor = aten::sigmoid(%x)
  %y : Tensor = quantized::hardswish(%h, %s, %z)
  return (%y))IR";

absl::StatusOr<Warnings> Check(absl::string_view float_text,
                               absl::string_view quantized_text) {
  const ModelGraph a = ModelOf(float_text);
  const ModelGraph b = ModelOf(quantized_text);
  return CheckRelated(a, b, OrThrow(MatchSubgraphs(a, b)));
}

TEST(CheckRelatedTest, SaysNothingOfAModelAndItsQuantizedForm) {
  EXPECT_THAT(OrThrow(Check(kFloat, kQuantized)), IsEmpty());
}

TEST(CheckRelatedTest, RefusesSwappedModels) {
  EXPECT_THAT(MessageOf(Check(kQuantized, kFloat)),
              HasSubstr("swap --float and --quantized"));
}

TEST(CheckRelatedTest, FindsQuantizedOpsInControlFlow) {
  EXPECT_THAT(OrThrow(Check(R"IR(
graph(%x : Tensor, %c : bool):
  %y : Tensor = prim::If(%c)
    block0():
      %s : Tensor = aten::hardswish(%x)
      -> (%s)
    block1():
      -> (%x)
  return (%y))IR",
                            R"IR(
graph(%x : Tensor, %c : bool, %s : float, %z : int):
  %y : Tensor = prim::If(%c)
    block0():
      %q : Tensor = quantized::hardswish(%x, %s, %z)
      -> (%q)
    block1():
      -> (%x)
  return (%y))IR")),
              IsEmpty());
}

TEST(CheckRelatedTest, WarnsOfAModelThatIsNotQuantized) {
  EXPECT_THAT(OrThrow(Check(kFloat, kFloat)),
              ElementsAre("the quantized model has no quantized op"));
}

TEST(CheckRelatedTest, RefusesModelsWithoutACommonLayer) {
  EXPECT_THAT(MessageOf(Check(R"IR(
graph(%x : Tensor):
  %y : Tensor = aten::erf(%x)
  return (%y))IR",
                              kQuantized)),
              HasSubstr("the models have no layer in common"));
}

TEST(CheckRelatedTest, WarnsOfAModelThatIsMostlyUnmatched) {
  EXPECT_THAT(OrThrow(Check(R"IR(
graph(%x : Tensor):
  %y : Tensor = aten::hardswish(%x)
  return (%y))IR",
                            R"IR(
graph(%x : Tensor, %s : float, %z : int):
  %a : Tensor = aten::sigmoid(%x)
  %b : Tensor = aten::tanh(%a)
  %y : Tensor = quantized::hardswish(%b, %s, %z)
  return (%y))IR")),
              ElementsAre(HasSubstr("only 1 of 3 ops")));
}

}  // namespace
}  // namespace ns
