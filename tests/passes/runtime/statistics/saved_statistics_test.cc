#include "passes/runtime/statistics/saved_statistics.h"

#include <ATen/Functions.h>
#include <c10/util/Exception.h>

#include <cmath>
#include <vector>

#include "gtest/gtest.h"

namespace ns {
namespace {

TEST(SavedStatisticsTest, ListsOfEarlierVersionsLackTheShift) {
  const std::vector<PairStatistics> parts = {
      ComparePair(at::ones({3}), at::zeros({3})),
      ComparePair(at::ones({2}), at::ones({2}))};
  const std::vector<double> numbers = NumbersOf(parts);
  EXPECT_EQ(NumbersOf(StatisticsFromNumbers(numbers)), numbers);
  std::vector<double> earlier;
  for (const PairStatistics& part : parts) {
    const PairStatistics::Numbers all = part.ToNumbers();
    earlier.insert(earlier.end(), all.begin(), all.end() - 1);
  }
  const std::vector<PairStatistics> loaded = StatisticsFromNumbers(earlier);
  ASSERT_EQ(loaded.size(), 2);
  EXPECT_EQ(loaded[0].sum_e2, 3);
  EXPECT_TRUE(std::isnan(loaded[0].MeanError()));
  EXPECT_EQ(StatisticsFromNumbers({}).size(), 0);
  earlier.pop_back();
  EXPECT_THROW(StatisticsFromNumbers(earlier), c10::Error);
}

}  // namespace
}  // namespace ns
