#include "ns/findings/limits/comparison_diff.h"

#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/ns/report/table_results.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

ComparisonDiff Diff(std::vector<LayerComparison> a,
                    std::vector<LayerComparison> b) {
  return DiffComparisons(Result(std::move(a)), Result(std::move(b)));
}

// Changes as "fc activation 30 -> 28".
std::vector<std::string> Changes(const ComparisonDiff& diff) {
  std::vector<std::string> lines;
  for (const FigureChange& change : diff.changes) {
    lines.push_back(absl::StrCat(change.layer, change.part.empty() ? "" : "/",
                                 change.part, " ", change.figure, " ", change.a,
                                 " -> ", change.b));
  }
  return lines;
}

// Figures as "fc/h_n activation".
std::vector<std::string> Names(const std::vector<DiffedFigure>& figures) {
  std::vector<std::string> names;
  for (const DiffedFigure& figure : figures) {
    names.push_back(absl::StrCat(figure.layer, figure.part.empty() ? "" : "/",
                                 figure.part, " ", figure.figure));
  }
  return names;
}

// Checks as "fc activation 1.5 yes".
std::vector<std::string> Drops(const ComparisonDiff& diff, double max_drop) {
  std::vector<std::string> lines;
  for (const LimitCheck& check : CheckDrops(diff, max_drop)) {
    lines.push_back(absl::StrCat(check.layer, " ", check.figure, " ",
                                 check.value, check.passed ? " yes" : " no"));
  }
  return lines;
}

LayerComparison Batches(absl::string_view name, double db,
                        const std::vector<double>& batches) {
  LayerComparison layer = Layer(name, db);
  layer.activation->batch_sqnr_db = batches;
  return layer;
}

TEST(ComparisonDiffTest, PairsFiguresByName) {
  LayerComparison a = Broken("lstm", 30, 31, 32);
  a.weights = {{"w_ih", {1}, Error(40)}, {"w_hh", {1}, Error(41)}};
  a.outputs = {Output("h_n", 10, 11, 12), Output("c_n", 20, 21, 22)};
  LayerComparison b = Broken("lstm", 29, 31, 32);
  b.weights = {{"w_hh", {1}, Error(42)}, {"w_ih", {1}, Error(40)}};
  b.outputs = {Output("c_n", 25, 21, 22)};
  b.kernel = Figures(50);
  const ComparisonDiff diff = Diff({a, Layer("x", 1)}, {Layer("y", 2), b});
  EXPECT_THAT(
      Changes(diff),
      ElementsAre("lstm/w_hh weight 41 -> 42",
                  "lstm/w_ih weight 40 -> "
                  "40",
                  "lstm activation 30 -> 29", "lstm shadow 31 -> 31",
                  "lstm/c_n activation 20 -> 25", "lstm/c_n shadow 21 -> 21"));
  EXPECT_THAT(Names(diff.figures_only_a),
              ElementsAre("lstm/h_n activation", "lstm/h_n shadow"));
  EXPECT_THAT(Names(diff.figures_only_b), ElementsAre("lstm kernel"));
  EXPECT_THAT(diff.only_a, ElementsAre("x"));
  EXPECT_THAT(diff.only_b, ElementsAre("y"));
  EXPECT_EQ(diff.layers_in_both, 1U);
  EXPECT_FALSE(diff.IsEmpty());
}

TEST(ComparisonDiffTest, ComparisonsOfTheSameFilesAreEqual) {
  const std::vector<LayerComparison> layers = {
      Layer("a", kNan, {40}), Layer("b", kInfinity), Layer("c", 3)};
  const ComparisonDiff diff = Diff(layers, layers);
  EXPECT_TRUE(diff.IsEmpty());
  EXPECT_EQ(diff.changes.size(), 4U);
}

TEST(ComparisonDiffTest, WhatMakesADifference) {
  EXPECT_FALSE(Diff({Layer("a", 1)}, {Layer("a", 1.000001)}).IsEmpty());
  EXPECT_FALSE(Diff({Layer("a", kNan)}, {Layer("a", 1)}).IsEmpty());
  EXPECT_FALSE(
      Diff({Layer("a", 1)}, {Layer("a", 1), Layer("b", {})}).IsEmpty());
  EXPECT_FALSE(Diff({Layer("a", 1, {40})}, {Layer("a", 1)}).IsEmpty());
  EXPECT_FALSE(Diff({Layer("a", {}, {40})}, {Layer("a", 1, {40})}).IsEmpty());
  ComparisonResult result = Result({Layer("a", 1)});
  result.unmatched = {{"float", "x", "aten::log", "why"}};
  EXPECT_FALSE(DiffComparisons(Result({Layer("a", 1)}), result).IsEmpty());
}

TEST(ComparisonDiffTest, NamesLayersWithOtherBits) {
  const auto layer = [](absl::string_view name, const std::string& of_float,
                        const std::string& of_quantized) {
    LayerComparison made = Layer(name, 1);
    made.fingerprints = LayerFingerprints{of_float, of_quantized};
    return made;
  };
  const ComparisonDiff diff =
      Diff({layer("a", "1", "2"), layer("b", "3", "4"), layer("c", "5", "6"),
            layer("d", "7", "8"), Layer("e", 1)},
           {layer("a", "1", "2"), layer("b", "3", "0"), layer("c", "0", "0"),
            Layer("d", 1), layer("e", "9", "9")});
  ASSERT_TRUE(diff.bits.has_value());
  EXPECT_EQ(diff.bits->compared, 3U);
  EXPECT_THAT(diff.bits->in_float, ElementsAre("c"));
  EXPECT_THAT(diff.bits->in_quantized, ElementsAre("b", "c"));
  EXPECT_FALSE(diff.IsEmpty());
  EXPECT_TRUE(Diff({layer("a", "1", "2")}, {layer("a", "1", "2")}).IsEmpty());
  EXPECT_FALSE(Diff({Layer("a", 1)}, {Layer("a", 1)}).bits.has_value());
}

TEST(ComparisonDiffTest, BitsOfOtherBatchesAreNotCompared) {
  LayerComparison layer = Layer("a", 1);
  layer.fingerprints = LayerFingerprints{"1", "2"};
  const ComparisonResult a = Result({layer});
  layer.fingerprints->of_float = "3";
  ComparisonResult b = Result({layer});
  EXPECT_TRUE(DiffComparisons(a, b).bits.has_value());
  b.batches = a.batches + 1;
  EXPECT_FALSE(DiffComparisons(a, b).bits.has_value());
  b.batches = a.batches;
  b.samples = ComparedSamples{"listed", {1}, 8};
  EXPECT_FALSE(DiffComparisons(a, b).bits.has_value());
  EXPECT_TRUE(DiffComparisons(a, b).fingerprints_of_other_batches);
  EXPECT_FALSE(DiffComparisons(a, a).fingerprints_of_other_batches);
}

TEST(ComparisonDiffTest, ListsOtherScalesAndZeroPoints) {
  const auto layer = [](absl::string_view name, LayerQParams qparams) {
    LayerComparison made = Layer(name, 1);
    made.qparams = qparams;
    return made;
  };
  const ComparisonDiff diff =
      Diff({layer("a", {0.5, 3}), layer("b", {0.5, 3}), layer("c", {0.5, 3})},
           {layer("a", {0.5, 3}), layer("b", {0.25, 3}), layer("c", {0.5, 4})});
  ASSERT_EQ(diff.qparams.size(), 2U);
  EXPECT_EQ(diff.qparams[0].layer, "b");
  EXPECT_EQ(diff.qparams[0].a.scale, 0.5);
  EXPECT_EQ(diff.qparams[0].b.scale, 0.25);
  EXPECT_EQ(diff.qparams[1].layer, "c");
  EXPECT_FALSE(diff.IsEmpty());
  EXPECT_TRUE(Diff({Layer("a", 1)}, {layer("a", {0.5, 3})}).qparams.empty());
}

TEST(ComparisonDiffTest, ChangesOfInfinitiesAreNoNan) {
  const auto change = [](double a, double b) {
    return FigureChange{{"", "", "activation"}, a, b, 0}.Change();
  };
  EXPECT_EQ(change(kInfinity, kInfinity), 0);
  EXPECT_EQ(change(kInfinity, 30), -kInfinity);
  EXPECT_EQ(change(-kInfinity, 30), kInfinity);
  EXPECT_TRUE(std::isnan(change(30, kNan)));
}

// As many batches: of the differences. Otherwise of both sides.
TEST(ComparisonDiffTest, ToleranceIsTwiceTheStandardError) {
  EXPECT_DOUBLE_EQ(Tolerance({10, 20, 30}, {9, 19, 29}), 0);
  EXPECT_DOUBLE_EQ(Tolerance({10, 20, 30, 40}, {9, 21, 29, 41}),
                   2 * std::sqrt(4.0 / 3) / std::sqrt(4.0));
  EXPECT_DOUBLE_EQ(Tolerance({10, 12}, {10, 13, 16}),
                   2 * std::sqrt(2.0 / 2 + 9.0 / 3));
  EXPECT_DOUBLE_EQ(Tolerance({kInfinity, 10, 20}, {30, 9, 21}),
                   2 * std::sqrt(2.0) / std::sqrt(2.0));
}

TEST(ComparisonDiffTest, OneBatchHasNoSpread) {
  EXPECT_EQ(Tolerance({}, {}), 0);
  EXPECT_EQ(Tolerance({10}, {20}), 0);
  EXPECT_EQ(Tolerance({10}, {20, 30}), 0);
  EXPECT_EQ(Tolerance({kNan, kNan}, {20, 30}), 0);
}

TEST(ComparisonDiffTest, DropsAreCrossedBeyondLimitAndTolerance) {
  const auto drop = [](double b) {
    return Diff({Batches("a", 30, {29, 31})}, {Batches("a", b, {b, b})});
  };
  // The differences of the batches are 2 apart: their error is 1, twice that 2.
  EXPECT_THAT(Drops(drop(27), 1), ElementsAre("a activation 3 yes"));
  EXPECT_THAT(Drops(drop(26.9), 1),
              ElementsAre(::testing::MatchesRegex("a activation 3.1 no")));
  EXPECT_THAT(Drops(drop(35), 0), ElementsAre("a activation -5 yes"));
}

TEST(ComparisonDiffTest, NanAndLostExactnessAreDrops) {
  const auto drops = [](double a, double b) {
    return Drops(Diff({Layer("a", a)}, {Layer("a", b)}), 1);
  };
  EXPECT_THAT(drops(30, kNan), ElementsAre("a activation nan no"));
  EXPECT_THAT(drops(kNan, kNan), ElementsAre("a activation nan no"));
  EXPECT_THAT(drops(kNan, 30), ElementsAre("a activation 0 yes"));
  EXPECT_THAT(drops(kInfinity, 90), ElementsAre("a activation inf no"));
  EXPECT_THAT(drops(kInfinity, kInfinity), ElementsAre("a activation 0 yes"));
  EXPECT_THAT(drops(30, kInfinity), ElementsAre("a activation -inf yes"));
}

TEST(ComparisonDiffTest, DropsAreOfWhatBothHave) {
  EXPECT_THAT(Drops(Diff({Layer("a", 30, {40})}, {Layer("a", {}, {39.5})}), 0),
              ElementsAre("a weight 0.5 no"));
  EXPECT_THAT(Drops(Diff({Layer("a", 30, {40})}, {Layer("a", 30, {1})}), 0),
              ElementsAre("a activation 0 yes"));
  EXPECT_THAT(Drops(Diff({Layer("a", {})}, {Layer("a", 30)}), 0),
              ElementsAre("  nan no"));
}

TEST(ComparisonDiffTest, ALostFigureIsADrop) {
  LayerComparison none = Layer("b", 20);
  none.activation->elements = 0;
  EXPECT_THAT(Drops(Diff({Layer("a", 30), Layer("b", 20), Layer("c", 10)},
                         {Layer("a", 30), none, Layer("c", {})}),
                    1),
              ElementsAre("a activation 0 yes", "b activation nan no",
                          "c activation nan no"));
  // What only the later one has is none, nor is what nobody asked for.
  EXPECT_THAT(Drops(Diff({Layer("a", 30, {40}), Layer("b", {})},
                         {Layer("a", 30), Layer("b", 20)}),
                    1),
              ElementsAre("a activation 0 yes"));
}

TEST(ComparisonDiffTest, ModulesAreDiffedToo) {
  ComparisonResult a = Result({});
  a.stubs = {{"block", "F", "Q", Figures(30), {{1, "1", Figures(25)}}}};
  a.outputs = {{"output", "", "", Figures(20)}, {"x", "F", "Q", Figures(9)}};
  ComparisonResult b = a;
  b.stubs->front().figures = Figures(28);
  b.stubs->front().outputs[0].figures = Figures(24);
  b.outputs->pop_back();
  const ComparisonDiff diff = DiffComparisons(a, b);
  EXPECT_THAT(Changes(diff),
              ElementsAre("block stub 30 -> 28", "block/1 stub 25 -> 24",
                          "output output 20 -> 20"));
  EXPECT_THAT(Names(diff.figures_only_a), ElementsAre("x output"));
  EXPECT_THAT(Drops(diff, 1),
              ElementsAre("block stub 2 no", "block stub 1 yes"));
  EXPECT_TRUE(DiffComparisons(a, a).IsEmpty());
}

// A module may have the path `output`, the name of what the models return.
TEST(ComparisonDiffTest, AModuleIsNotWhatTheModelsReturn) {
  ComparisonResult a = Result({});
  a.outputs = {{"output", "F", "Q", Figures(40)},
               {"output", "", "", Figures(20)}};
  const ComparisonDiff diff = DiffComparisons(a, a);
  EXPECT_THAT(Changes(diff),
              ElementsAre("output output 40 -> 40", "output output 20 -> 20"));
  EXPECT_THAT(Drops(diff, 1),
              ElementsAre("output output 0 yes", "output output 0 yes"));
  ComparisonResult b = a;
  b.outputs->pop_back();
  EXPECT_THAT(Names(DiffComparisons(a, b).figures_only_a),
              ElementsAre("output output"));
}

// Class numbers are the same or not: their SQNR says nothing.
TEST(ComparisonDiffTest, IntegersDoNotDrop) {
  ComparisonResult a = Result({});
  a.outputs = {{"output[0]", "", "", Figures(30)},
               {"output[1]", "", "", Figures(kInfinity), true}};
  ComparisonResult b = a;
  b.outputs->at(1).figures = Figures(20);
  const ComparisonDiff diff = DiffComparisons(a, b);
  EXPECT_THAT(Changes(diff), ElementsAre("output[0] output 30 -> 30",
                                         "output[1] output inf -> 20"));
  EXPECT_THAT(Drops(diff, 1), ElementsAre("output[0] output 0 yes"));
}

TEST(ComparisonDiffTest, LayersWithoutElementsHaveNoFigures) {
  LayerComparison none = Layer("a", kNan);
  none.activation->elements = 0;
  EXPECT_THAT(Changes(Diff({none}, {none})), IsEmpty());
}

TEST(ComparisonDiffTest, ABaselineIsOfTheSameModel) {
  const ComparisonResult result =
      Result({Layer("a", 1, {40}), Layer("b", 1), Layer("c", 1)});
  const auto check = [&](const std::vector<LayerComparison>& layers) {
    return std::string(CheckSameModel(Result(layers), result).message());
  };
  EXPECT_EQ(check({Layer("a", {}, {10}), Layer("c", 30)}), "");
  EXPECT_THAT(check({Layer("a", 1), Layer("x", 1), Layer("y", 1)}),
              HasSubstr("is of another model: it has 3 layers, and 1 of them"));
  EXPECT_THAT(check({}), HasSubstr("another model"));
  LayerComparison shape = Layer("a", 1, {40});
  shape.weights[0].shape = {7};
  EXPECT_THAT(check({shape, Layer("b", 1)}), HasSubstr("1 of them"));
  LayerComparison op = Layer("a", 1);
  op.float_side.op = "aten::linear";
  EXPECT_THAT(check({op, Layer("b", 1)}), HasSubstr("1 of them"));
}

// Checks as "output 3 no".
std::vector<std::string> OutputDrops(const ComparisonResult& a,
                                     const ComparisonResult& b,
                                     double max_drop) {
  std::vector<std::string> lines;
  for (const LimitCheck& check : CheckOutputDrops(a, b, max_drop)) {
    EXPECT_EQ(check.kind, LimitKind::kMaxOutputDrop);
    lines.push_back(absl::StrCat(check.layer, " ", check.value,
                                 check.passed ? " yes" : " no"));
  }
  return lines;
}

TEST(CheckOutputDropsTest, OutputsAreComparedByName) {
  ComparisonResult a;
  a.model_outputs = {{"output[0]", "", "", Figures(30)},
                     {"output[1]", "", "", Figures(kInfinity)},
                     {"output[2]", "", "", Figures(20)},
                     {"output[3]", "", "", Figures(kNan)}};
  ComparisonResult b;
  b.model_outputs = {{"output[1]", "", "", Figures(kInfinity)},
                     {"output[0]", "", "", Figures(28)},
                     {"output[3]", "", "", Figures(10)}};
  EXPECT_THAT(OutputDrops(a, b, 1),
              ElementsAre("output[0] 2 no", "output[1] 0 yes",
                          "output[2] nan no", "output[3] nan yes"));
  EXPECT_EQ(OutputDrops(a, b, 3)[0], "output[0] 2 yes");
}

TEST(CheckOutputDropsTest, ABaselineWithoutOutputsCrosses) {
  EXPECT_THAT(OutputDrops({}, {}, 1), ElementsAre(" nan no"));
}

TEST(CheckOutputDropsTest, BatchesThatScatterAllowMore) {
  ComparisonResult a;
  a.model_outputs = {{"output", "", "", Figures(30)}};
  a.model_outputs[0].figures.batch_sqnr_db = {28, 32, 30};
  ComparisonResult b;
  b.model_outputs = {{"output", "", "", Figures(28.5)}};
  b.model_outputs[0].figures.batch_sqnr_db = {27, 30};
  EXPECT_EQ(OutputDrops(a, b, 1)[0], "output 1.5 yes");
}

}  // namespace
}  // namespace ns
