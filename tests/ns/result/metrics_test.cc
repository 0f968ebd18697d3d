#include "ns/result/metrics.h"

#include <set>
#include <string>

#include "gtest/gtest.h"

namespace ns {
namespace {

TEST(MetricsTest, EachHasANameAndAPlaceOfItsOwn) {
  std::set<std::string> names;
  ErrorFigures figures;
  double value = 1;
  for (const Metric& metric : Metrics()) {
    EXPECT_TRUE(names.insert(std::string(metric.name)).second) << metric.name;
    EXPECT_EQ(figures.*metric.figure, 0) << metric.name;
    figures.*metric.figure = value++;
  }
}

TEST(MetricsTest, FiguresFollowFromSums) {
  // x = (3, 4), y = (3, 5)
  PairStatistics sums;
  sums.count = 2;
  sums.sum_x2 = 25;
  sums.sum_y2 = 34;
  sums.sum_xy = 29;
  sums.sum_e2 = 1;
  sums.sum_e = -1;
  sums.max_abs_error = 1;
  const ErrorFigures figures = FiguresOf(sums);
  EXPECT_NEAR(figures.sqnr_db, 13.979, 1e-3);
  EXPECT_DOUBLE_EQ(figures.normalized_l2, 0.2);
  EXPECT_NEAR(figures.cosine, 0.99469, 1e-5);
  EXPECT_EQ(figures.max_abs_error, 1);
  EXPECT_DOUBLE_EQ(figures.mean_error, 0.5);
  EXPECT_DOUBLE_EQ(figures.bias_share, 0.5);
}

}  // namespace
}  // namespace ns
