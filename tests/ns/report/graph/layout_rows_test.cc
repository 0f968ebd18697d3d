#include "ns/report/graph/layout_rows.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ns {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

RowsInput Boxes(std::vector<int> widths,
                std::vector<std::pair<size_t, size_t>> edges) {
  RowsInput input;
  input.widths = std::move(widths);
  input.edges = std::move(edges);
  input.gap = 10;
  return input;
}

TEST(SpreadOutTest, KeepsWhatIsFarApart) {
  EXPECT_THAT(SpreadOut({0, 100, 250}, {0, 50, 50}), ElementsAre(0, 100, 250));
}

TEST(SpreadOutTest, MovesNeighboursApartByEqualParts) {
  EXPECT_THAT(SpreadOut({10, 10}, {0, 20}), ElementsAre(0, 20));
  EXPECT_THAT(SpreadOut({30, 10}, {0, 20}), ElementsAre(10, 30));
}

TEST(SpreadOutTest, IsTheLeastSquaresSolution) {
  // Three at one place, the last one elsewhere: (-30, 0, 30) around their mean,
  // and the last is pushed until it shares.
  EXPECT_THAT(
      SpreadOut({0, 0, 0, 40}, {0, 30, 30, 30}),
      ElementsAre(DoubleEq(-35), DoubleEq(-5), DoubleEq(25), DoubleEq(55)));
}

TEST(ArrangeInRowsTest, NothingNeedsNoRow) {
  const RowsOutput output = ArrangeInRows(Boxes({}, {}));
  EXPECT_THAT(output.rows, IsEmpty());
  EXPECT_EQ(output.row_count, 0);
  EXPECT_EQ(output.width, 0);
}

TEST(ArrangeInRowsTest, ARowIsTheLongestPathFromTheTop) {
  // 0 -> 1 -> 2 -> 3 and 0 -> 3: the residual ends below the whole branch.
  const RowsOutput output =
      ArrangeInRows(Boxes({50, 50, 50, 50}, {{0, 1}, {1, 2}, {2, 3}, {0, 3}}));
  EXPECT_THAT(output.rows, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(output.lefts, ElementsAre(0, 0, 0, 0));
  EXPECT_EQ(output.width, 50);
}

TEST(ArrangeInRowsTest, BranchesStandSideBySideAboveTheirSum) {
  const RowsOutput output =
      ArrangeInRows(Boxes({40, 40, 40, 40}, {{0, 1}, {0, 2}, {1, 3}, {2, 3}}));
  EXPECT_THAT(output.rows, ElementsAre(0, 1, 1, 2));
  EXPECT_THAT(output.lefts, ElementsAre(25, 0, 50, 25));
  EXPECT_EQ(output.width, 90);
}

TEST(ArrangeInRowsTest, UncrossesEdges) {
  // 0 -> 3, 1 -> 2: the lower boxes change places.
  const RowsOutput output =
      ArrangeInRows(Boxes({40, 40, 40, 40}, {{0, 3}, {1, 2}}));
  EXPECT_THAT(output.rows, ElementsAre(0, 0, 1, 1));
  EXPECT_EQ(output.lefts[0] < output.lefts[1],
            output.lefts[3] < output.lefts[2]);
}

TEST(ArrangeInRowsTest, BreaksLongRows) {
  RowsInput input = Boxes(std::vector<int>(7, 10), {});
  input.most = 3;
  const RowsOutput output = ArrangeInRows(input);
  EXPECT_EQ(output.row_count, 3);
  EXPECT_EQ(output.width, 50);
  for (int row = 0; row < 3; ++row) {
    EXPECT_LE(std::count(output.rows.begin(), output.rows.end(), row), 3);
  }
}

TEST(ArrangeInRowsTest, IgnoresEdgesThatLeadUpOrNowhere) {
  const RowsOutput output =
      ArrangeInRows(Boxes({10, 10}, {{1, 0}, {0, 0}, {0, 7}, {9, 1}}));
  EXPECT_THAT(output.rows, ElementsAre(0, 0));
}

}  // namespace
}  // namespace ns
