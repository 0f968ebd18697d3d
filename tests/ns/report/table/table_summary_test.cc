#include "ns/report/table/table_summary.h"

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/report/table/table_report.h"
#include "ns/result/comparison_result.h"
#include "tests/ns/report/table_results.h"

namespace ns {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

LayerComparison Clamped(absl::string_view name, int64_t at_lowest,
                        int64_t at_highest) {
  LayerComparison layer = Layer(name, 20);
  layer.activation->elements = 1000;
  layer.activation->ranges = ValueRanges{-9, 9, -1, 1};
  layer.activation->codes = CodeUse{at_lowest, at_highest, 0};
  return layer;
}

TEST(TableSummaryTest, NamesTheOutputOfAnUnexplainedFall) {
  ComparisonResult result = WithShadows(
      {Broken("conv1", 30, 30, kInfinity), Broken("rnn", 29, 40, 30, {0})});
  EXPECT_THAT(ToTable(result, {}), Not(HasSubstr("unexplained")));
  result.layers[1].outputs = {Output("h_n", 15, 40, 30)};
  EXPECT_THAT(ToTable(result, {}),
              HasSubstr("first unexplained fall  rnn (h_n)  accumulated 15.0 "
                        "dB, expected 29.6\n"));
}

TEST(TableSummaryTest, WorstOffenderHasThePartsThatWereMeasured) {
  ComparisonResult result = WithShadows({Broken("fc", 6, 8, 9)});
  result.layers[0].inherited.reset();
  EXPECT_THAT(ToTable(result, {}),
              HasSubstr("worst offender          fc  local 8.0 dB "
                        "(accumulated 6.0)\n"));
  result.layers[0].activation.reset();
  EXPECT_THAT(ToTable(result, {}),
              HasSubstr("worst offender          fc  local 8.0 dB\n"));
}

TEST(TableSummaryTest, SaysWhereTheWorstErrorIsMostlyAShift) {
  ComparisonResult result = WithShadows({Broken("fc", 6, 8, 9)});
  result.layers[0].shadow->error.mean_error = -0.0123;
  result.layers[0].shadow->error.bias_share = 0.714;
  EXPECT_THAT(ToTable(result, {}),
              HasSubstr("mostly a shift          fc  quantized minus float is "
                        "-0.0123 on average, 71 % of the squared error\n"));
  result.layers[0].shadow->error.bias_share = 0.4;
  EXPECT_THAT(ToTable(result, {}), Not(HasSubstr("a shift")));
}

TEST(TableSummaryTest, BlamesNobodyForWhatWasNotAsked) {
  ComparisonResult result = WithShadows(
      {Broken("conv1", 30, 30, kInfinity), Broken("fc", 10, 25, 12, {0})});
  EXPECT_THAT(ToTable(result, {}), HasSubstr("worst offender"));
  EXPECT_THAT(ToTable(result, {}), HasSubstr("first unexplained fall"));
  result.has_shadows = false;
  EXPECT_THAT(ToTable(result, {}), Not(HasSubstr("worst offender")));
  EXPECT_THAT(ToTable(result, {}), Not(HasSubstr("first unexplained fall")));
  EXPECT_THAT(ToTable(result, {}), Not(HasSubstr("inherited")));
  result.has_shadows = true;
  result.has_activations = false;
  EXPECT_THAT(ToTable(result, {}), Not(HasSubstr("worst offender")));
  EXPECT_THAT(ToTable(result, {}), Not(HasSubstr("inherited")));
}

TEST(TableSummaryTest, ShowsFiveWorstChannelsOfTheLowestActivation) {
  ComparisonResult result = Result({Layer("conv1", 30), Layer("fc", 10)});
  for (LayerComparison& layer : result.layers) {
    for (int64_t i = 0; i < 6; ++i) {
      layer.activation->worst_channels.push_back({i, 1.5 * i});
    }
  }
  EXPECT_THAT(ToTable(result, {}),
              HasSubstr("worst channels          fc  0 (0.0 dB), 1 (1.5), "
                        "2 (3.0), 3 (4.5), 4 (6.0)\n"));
}

TEST(TableSummaryTest, ListsFiveSaturatingLayersAndCountsTheRest) {
  std::vector<LayerComparison> layers = {
      Clamped("both", 4, 23), Clamped("none", 1, 1), Clamped("low", 30, 0)};
  EXPECT_THAT(ToTable(Result(layers), {}), HasSubstr(R"(
2 saturating:
  low (3.0 % at the lowest code)
  both (0.4 % at the lowest, 2.3 % at the highest code)
)"));
  for (int i = 0; i < 5; ++i) {
    layers.push_back(Clamped(absl::StrCat("c", i), 0, 10));
  }
  const std::string text = ToTable(Result(layers), {});
  EXPECT_THAT(text, HasSubstr("\n7 saturating:\n"));
  EXPECT_THAT(text, HasSubstr("  c2 (1.0 % at the highest code)\n"
                              "  and 2 more (see --json)\n"));
  EXPECT_THAT(ToTable(Result({Clamped("none", 1, 1)}), {}),
              Not(HasSubstr("saturating")));
}

TEST(TableSummaryTest, ListsUnmatchedNodesByReason) {
  ComparisonResult result = Result({});
  result.unmatched = {{"float", "a", "aten::dropout", "dropped"},
                      {"float", "bn.weight", "", "of a state_dict"},
                      {"quantized", "", "aten::dequantize", "no twin"},
                      {"float", "b", "aten::dropout", "dropped"}};
  result.not_shadowed = {{"rnn", "has a state"}};
  EXPECT_THAT(ToTable(result, {}), HasSubstr(R"(
4 unmatched:
  dropped
    float      a (dropout)
    float      b (dropout)
  of a state_dict
    float      bn.weight
  no twin
    quantized  dequantize

1 not shadowed:
  has a state
    rnn
)"));
}

TEST(TableSummaryTest, LayerWithAnUnpairedInputIsListedAndNotBlamed) {
  ComparisonResult result =
      Result({Layer("a", 30, {50}), Layer("b", 2, {40}), Layer("c", 20, {60})});
  result.layers[1].unpaired_input = "behind an extra layer";
  const std::string text = ToTable(result, {});
  EXPECT_THAT(text, ContainsRegex("lowest activation SQNR *20.0 dB  c\n"));
  EXPECT_THAT(text, ContainsRegex("lowest weight SQNR *40.0 dB  b\n"));
  EXPECT_THAT(text, HasSubstr(R"(
1 with unpaired inputs, none of them a culprit:
  behind an extra layer
    b
)"));
}

TEST(TableSummaryTest, ListsTwentyUnmatchedNodesAndCountsTheRest) {
  ComparisonResult result = Result({});
  for (int i = 0; i < 20; ++i) {
    result.unmatched.push_back(
        {"float", absl::StrCat("n", i), "aten::add", absl::StrCat("why", i)});
  }
  EXPECT_THAT(ToTable(result, {}), HasSubstr("n19 (add)\n"));
  EXPECT_THAT(ToTable(result, {}), Not(HasSubstr("more")));
  result.unmatched.push_back({"float", "n20", "aten::add", "why20"});
  result.unmatched.push_back({"float", "n21", "aten::add", "why0"});
  const std::string text = ToTable(result, {});
  EXPECT_THAT(text, HasSubstr("    float      n21 (add)\n"));
  EXPECT_THAT(text, Not(HasSubstr("why19")));
  EXPECT_THAT(text, HasSubstr("  and 2 more (see --json)\n"));
}

TEST(TableSummaryTest, TellsWhyALayerDoesHarm) {
  ComparisonResult result = WithShadows({Broken("fc", 8, 9, 30)});
  EXPECT_THAT(FigureSummary(result), Not(HasSubstr("verdict")));
  result.layers[0].weights = {{"weight", {1}, Error(9)}};
  EXPECT_THAT(FigureSummary(result),
              HasSubstr("\nverdict                 fc is to blame (9.0 dB by "
                        "itself): its weight has 9.0 dB.\n"));
}

TEST(TableSummaryTest, TellsOfSwappedLayersWithoutInputs) {
  ComparisonResult result = Result({Layer("fc", {}, {-3.})});
  result.has_activations = false;
  EXPECT_THAT(FigureSummary(result), Not(HasSubstr("verdict")));
  result.layers[0].has_weight_of = "head";
  EXPECT_THAT(FigureSummary(result),
              HasSubstr("\nverdict                 fc is to blame: it has "
                        "the weight of head.\n"));
}

// A result whose layers have these shares of the outputs' error.
ComparisonResult WithShares(const std::vector<double>& shares) {
  std::vector<LayerComparison> layers;
  for (const double share : shares) {
    layers.push_back(Broken(absl::StrCat("fc", layers.size()), 35, 35, 35));
    layers.back().output_share = share;
  }
  return WithShadows(std::move(layers));
}

TEST(TableSummaryTest, TellsWhereTheErrorOfTheOutputsComesFrom) {
  EXPECT_THAT(FigureSummary(WithShares({0.04, 0.5, 0.3, 0.16})),
              HasSubstr("\nerror of the outputs    fc1 50 %, fc2 30 %, fc3 16 "
                        "%\n"));
  EXPECT_THAT(FigureSummary(WithShares({0.6, 0})),
              HasSubstr("\nerror of the outputs    fc0 60 %; 40 % "
                        "unexplained\n"));
  EXPECT_THAT(FigureSummary(WithShares({0.6, 0.7})),
              HasSubstr("\nerror of the outputs    fc1 70 %, fc0 60 %; all "
                        "shares add up to 130 %\n"));
  EXPECT_THAT(FigureSummary(WithShares(std::vector<double>(25, 0.04))),
              HasSubstr("\nerror of the outputs    spread over 25 layers\n"));
  EXPECT_THAT(FigureSummary(WithShares({0.1, 0.1})),
              Not(HasSubstr("error of the outputs")));
}

TEST(TableSummaryTest, TellsHowWellTheModelsDoTheirTask) {
  ComparisonResult result = Result({Layer("fc", 30)});
  EXPECT_THAT(ToTable(result, {}), Not(HasSubstr("agreement")));
  EXPECT_THAT(ToTable(result, {}), Not(HasSubstr("score ")));
  EXPECT_THAT(ToTable(result, {}), Not(HasSubstr("samples compared")));
  result.agreement.emplace();
  result.agreement->top1 = 0.75;
  result.scores = {{"map", 0.5, 0.25, -0.25}};
  result.samples = ComparedSamples{"listed", {3}, 8};
  EXPECT_THAT(ToTable(result, {}),
              HasSubstr("samples compared        3 of 8 (listed)\n"));
  EXPECT_THAT(ToTable(result, {}),
              HasSubstr("agreement of classes    top-1 75.00 %, confidence "));
  EXPECT_THAT(ToTable(result, {}),
              HasSubstr("\n\nscore map  float 0.5  quantized 0.25  -0.25\n"));
}

}  // namespace
}  // namespace ns
