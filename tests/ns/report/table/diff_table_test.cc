#include "ns/report/table/diff_table.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/ns/report/table_results.h"

namespace ns {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string Table(std::vector<LayerComparison> a,
                  std::vector<LayerComparison> b, double max_drop = -1,
                  const TableOptions& options = {}) {
  const ComparisonDiff diff =
      DiffComparisons(Result(std::move(a)), Result(std::move(b)));
  return ToDiffTable(
      diff,
      max_drop < 0 ? std::vector<LimitCheck>() : CheckDrops(diff, max_drop),
      options);
}

TEST(DiffTableTest, HasARowForEachFigureThatDiffers) {
  EXPECT_EQ(Table({Layer("a", 30), Layer("b", 20, {40}), Layer("c", kNan)},
                  {Layer("a", 30), Layer("b", 21.5, {40}), Layer("c", 10)}),
            "                         A        B  B - A\n"
            "layer  figure      SQNR dB  SQNR dB     dB\n"
            "──────────────────────────────────────────\n"
            "b      activation     20.0     21.5   +1.5\n"
            "c      activation      nan     10.0    nan\n"
            "\n"
            "3 layers in both, 4 figures: 2 differ\n");
}

TEST(DiffTableTest, SaysThatThereIsNoDifference) {
  EXPECT_EQ(Table({Layer("a", 30)}, {Layer("a", 30)}),
            "1 layer in both, 1 figure: no difference\n");
}

TEST(DiffTableTest, NamesTheFirstLayerWithOtherBits) {
  LayerComparison a = Layer("a", 30);
  LayerComparison b = Layer("b", 30);
  a.fingerprints = b.fingerprints = LayerFingerprints{"1", "2"};
  LayerComparison later = b;
  later.fingerprints->of_quantized = "3";
  later.qparams = LayerQParams{0.25, 4};
  b.qparams = LayerQParams{0.5, 3};
  EXPECT_EQ(Table({a, b}, {a, later}),
            "2 layers in both, 2 figures: no difference\n"
            "bits of 2 layers: the float models agree; the quantized models "
            "differ in 1 layer, first in b\n"
            "\n1 layer with another scale or zero point:\n"
            "  b  0.5, zero point 3 -> 0.25, zero point 4\n");
}

TEST(DiffTableTest, SaysThatBitsAreOfOtherBatches) {
  LayerComparison layer = Layer("a", 30);
  layer.fingerprints = LayerFingerprints{"1", "2"};
  ComparisonResult later = Result({layer});
  ++later.batches;
  EXPECT_THAT(
      ToDiffTable(DiffComparisons(Result({layer}), later), {}, {}),
      HasSubstr("\nbits not compared: the comparisons ran other batches "
                "or samples\n"));
}

TEST(DiffTableTest, CountsWhatIsTooSmallToShow) {
  EXPECT_EQ(Table({Layer("a", 30)}, {Layer("a", 30.001)}),
            "1 layer in both, 1 figure: 1 differs\n"
            "1 of them by less than 0.05 dB\n");
}

TEST(DiffTableTest, ListsNewAndVanishedLayersAndLimits) {
  const std::string table = Table({Layer("a", 30), Layer("x\x1b", 1)},
                                  {Layer("a", 28), Layer("y", 1)}, 1);
  EXPECT_THAT(table, HasSubstr("\n1 new, only in B:\n  y\n"));
  EXPECT_THAT(table, HasSubstr("\n1 vanished, only in A:\n  x\\x1b\n"));
  EXPECT_THAT(table, HasSubstr("\n1 of 1 limit crossed:\n  a: activation SQNR "
                               "dropped by 2.0 dB"));
}

TEST(DiffTableTest, ListsFiguresThatOnlyOneHas) {
  const std::string table = Table({Layer("a", 30, {40}), Layer("b", 20, {40})},
                                  {Layer("a", 30), Layer("b", {})}, 1);
  EXPECT_EQ(table,
            "2 layers in both, 1 figure: no difference\n"
            "2 weight figures only in A\n"
            "\n1 activation figure only in A:\n  b\n"
            "\n1 of 2 limits crossed:\n"
            "  b: activation SQNR is nan or not there any more, and "
            "--max-drop=1dB needs a number\n");
}

TEST(DiffTableTest, TheGreatestLossMayComeFirst) {
  TableOptions options;
  options.sort_by_error = true;
  const std::string table =
      Table({Layer("a", 30), Layer("b", 30), Layer("c", 30)},
            {Layer("a", 31), Layer("b", 20), Layer("c", kNan)}, -1, options);
  EXPECT_LT(table.find("\nc "), table.find("\nb "));
  EXPECT_LT(table.find("\nb "), table.find("\na "));
}

TEST(DiffTableTest, TellsOtherNumbersOfBatchesAndUnmatchedOps) {
  ComparisonResult a = Result({Layer("a", 30)});
  ComparisonResult b = a;
  b.batches = 3;
  b.unmatched = {{"float", "x", "aten::log", "why"}};
  const std::string table = ToDiffTable(DiffComparisons(a, b), {}, {});
  EXPECT_THAT(table, HasSubstr("batches: 8 in A, 3 in B\n"));
  EXPECT_THAT(table, HasSubstr("unmatched ops: 0 in A, 1 in B\n"));
  EXPECT_THAT(ToDiffTable(DiffComparisons(a, a), {}, {}),
              Not(HasSubstr("batches")));
}

}  // namespace
}  // namespace ns
