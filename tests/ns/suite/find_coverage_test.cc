#include "ns/suite/find_coverage.h"

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/analysis/value_facts.h"
#include "passes/matching/graph_matcher.h"
#include "tests/testing/ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Found {
  // The name of each layer and what it runs in, "-" for points.
  std::vector<std::string> runs_in;
  // "softmax: its inputs are float".
  std::vector<std::string> stayed_float;
  Coverage coverage;
};

Found Find(absl::string_view float_text, absl::string_view quantized_text) {
  const ModelGraph a = ModelOf(float_text);
  const ModelGraph b = ModelOf(quantized_text);
  const MatchResult matches = OrThrow(MatchSubgraphs(a, b));
  const auto runs_in = FindRunsIn(ValueFacts(b.graph()), matches);
  Found found;
  for (size_t i = 0; i < runs_in.size(); ++i) {
    found.runs_in.push_back(
        absl::StrCat(matches.matches[i].name, ": ",
                     runs_in[i] ? RunsInName(*runs_in[i]) : "-"));
  }
  found.coverage = FindCoverage(b, matches, runs_in);
  for (const StayedFloat& layer : found.coverage.stayed_float) {
    found.stayed_float.push_back(absl::StrCat(layer.op, ": ", layer.reason));
  }
  return found;
}

TEST(FindCoverageTest, TellsInWhatLayersRun) {
  const Found found = Find(R"IR(
graph(%x : Tensor):
  %a : Tensor = aten::hardswish(%x)
  %b : Tensor = aten::relu(%a)
  %c : Tensor = aten::abs(%b)
  %d : Tensor = aten::hardswish(%c)
  return (%d))IR",
                           R"IR(
graph(%x : Tensor):
  %s : float = prim::Constant[value=0.1]()
  %z : int = prim::Constant[value=3]()
  %t : int = prim::Constant[value=13]()
  %q : Tensor = aten::quantize_per_tensor(%x, %s, %z, %t)
  %a : Tensor = quantized::hardswish(%q, %s, %z)
  %b : Tensor = aten::relu(%a)
  %f : Tensor = aten::dequantize(%b)
  %c : Tensor = aten::abs(%f)
  %d : Tensor = aten::hardswish(%c)
  return (%d))IR");
  EXPECT_THAT(found.runs_in,
              ElementsAre("x.quantize: -", "hardswish: int8", "relu: int8",
                          "abs: float", "hardswish@1: float"));
  EXPECT_THAT(found.stayed_float,
              ElementsAre("aten::abs: there is no int8 op for it",
                          "aten::hardswish: its inputs are float"));
  EXPECT_THAT(found.coverage.cancelling_pairs, IsEmpty());
}

// Only the second quantize gives what was there before.
TEST(FindCoverageTest, FindsWhatIsDequantizedInVain) {
  const Found found = Find(R"IR(
graph(%x : Tensor):
  %a : Tensor = aten::relu(%x)
  return (%a))IR",
                           R"IR(
graph(%x : Tensor):
  %s : float = prim::Constant[value=0.1]()
  %r : float = prim::Constant[value=0.2]()
  %z : int = prim::Constant[value=3]()
  %t : int = prim::Constant[value=13]()
  %q : Tensor = aten::quantize_per_tensor(%x, %s, %z, %t)
  %f : Tensor = aten::dequantize(%q)
  %p : Tensor = aten::quantize_per_tensor(%f, %r, %z, %t)
  %g : Tensor = aten::dequantize(%p)
  %o : Tensor = aten::quantize_per_tensor(%g, %r, %z, %t)
  %a : Tensor = aten::relu(%o)
  %b : Tensor = aten::dequantize(%a)
  return (%b))IR");
  ASSERT_EQ(found.coverage.cancelling_pairs.size(), 1);
  EXPECT_EQ(found.coverage.cancelling_pairs[0].dequantize, "dequantize");
  EXPECT_EQ(found.coverage.cancelling_pairs[0].quantize, "quantize_per_tensor");
  EXPECT_THAT(found.stayed_float, IsEmpty());
}

TEST(FindCoverageTest, SaysWhatIsDequantizedForAnOpThatCouldTakeIt) {
  const Found found = Find(R"IR(
graph(%x : Tensor):
  %a : Tensor = aten::hardswish(%x)
  %b : Tensor = aten::relu(%a)
  return (%b))IR",
                           R"IR(
graph(%x : Tensor):
  %s : float = prim::Constant[value=0.1]()
  %z : int = prim::Constant[value=3]()
  %t : int = prim::Constant[value=13]()
  %q : Tensor = aten::quantize_per_tensor(%x, %s, %z, %t)
  %a : Tensor = quantized::hardswish(%q, %s, %z)
  %f : Tensor = aten::dequantize(%a)
  %b : Tensor = aten::relu(%f)
  return (%b))IR");
  EXPECT_THAT(found.stayed_float,
              ElementsAre("aten::relu: its input is dequantized for it"));
}

TEST(FindCoverageTest, FindsWeightsThatEachRunPacks) {
  const Found found = Find(R"IR(
graph(%x : Tensor, %w : Tensor, %v : Tensor):
  %none : NoneType = prim::Constant()
  %a : Tensor = aten::linear(%x, %w, %none)
  return (%a))IR",
                           R"IR(
graph(%x : Tensor, %w : Tensor, %v : Tensor):
  %none : NoneType = prim::Constant()
  %no : bool = prim::Constant[value=0]()
  %p : __torch__.torch.classes.quantized.LinearPackedParamsBase = quantized::linear_prepack(%v, %none)
  %a : Tensor = quantized::linear_dynamic(%x, %p, %no)
  return (%a))IR");
  EXPECT_THAT(found.runs_in, ElementsAre("linear_dynamic: int8 weights"));
  EXPECT_THAT(found.coverage.packs_at_run_time, ElementsAre("linear_prepack"));
}

}  // namespace
}  // namespace ns
