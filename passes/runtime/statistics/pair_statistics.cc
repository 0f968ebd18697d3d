#include "passes/runtime/statistics/pair_statistics.h"

#include <c10/util/Exception.h>

#include <cmath>
#include <limits>

#include "passes/runtime/statistics/pair_extremes.h"

namespace ns {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

}  // namespace

void PairStatistics::Merge(const PairStatistics& other) {
  count += other.count;
  sum_x2 += other.sum_x2;
  sum_y2 += other.sum_y2;
  sum_xy += other.sum_xy;
  sum_e2 += other.sum_e2;
  sum_e += other.sum_e;
  max_abs_error = MaxOrNan(max_abs_error, other.max_abs_error);
  min_x = MinOrNan(min_x, other.min_x);
  max_x = MaxOrNan(max_x, other.max_x);
  min_y = MinOrNan(min_y, other.min_y);
  max_y = MaxOrNan(max_y, other.max_y);
  nan_x += other.nan_x;
  inf_x += other.inf_x;
  nan_y += other.nan_y;
  inf_y += other.inf_y;
}

PairStatistics::Numbers PairStatistics::ToNumbers() const {
  return {static_cast<double>(count),
          sum_x2,
          sum_y2,
          sum_xy,
          sum_e2,
          max_abs_error,
          min_x,
          max_x,
          min_y,
          max_y,
          static_cast<double>(nan_x),
          static_cast<double>(inf_x),
          static_cast<double>(nan_y),
          static_cast<double>(inf_y),
          sum_e};
}

PairStatistics PairStatistics::FromNumbers(const Numbers& numbers) {
  PairStatistics statistics;
  statistics.count = CountFromNumber(numbers[0]);
  statistics.sum_x2 = numbers[1];
  statistics.sum_y2 = numbers[2];
  statistics.sum_xy = numbers[3];
  statistics.sum_e2 = numbers[4];
  statistics.max_abs_error = numbers[5];
  statistics.min_x = numbers[6];
  statistics.max_x = numbers[7];
  statistics.min_y = numbers[8];
  statistics.max_y = numbers[9];
  statistics.nan_x = CountFromNumber(numbers[10]);
  statistics.inf_x = CountFromNumber(numbers[11]);
  statistics.nan_y = CountFromNumber(numbers[12]);
  statistics.inf_y = CountFromNumber(numbers[13]);
  statistics.sum_e = numbers[14];
  return statistics;
}

int64_t CountFromNumber(double number) {
  constexpr double kLargest = 9007199254740992.0;  // 2^53
  TORCH_CHECK(number >= 0 && number <= kLargest && number == std::floor(number),
              "saved statistics count ", number, " elements");
  return static_cast<int64_t>(number);
}

bool PairStatistics::AreEqual() const {
  return count > 0 && sum_e2 == 0 && max_abs_error == 0;
}

double PairStatistics::SqnrDb() const {
  if (sum_e2 == 0) {
    // This includes an infinite sum_x2: log10(inf / 0) would be right, but
    // division by zero is undefined in C++.
    return sum_x2 > 0 || AreEqual() ? kInfinity : kNan;
  }
  return 10 * std::log10(sum_x2 / sum_e2);
}

double PairStatistics::NormalizedL2() const {
  if (sum_x2 == 0) {
    return AreEqual() ? 0 : sum_e2 > 0 ? kInfinity : kNan;
  }
  return std::sqrt(sum_e2 / sum_x2);
}

double PairStatistics::Cosine() const {
  if (AreEqual()) {
    return 1;
  }
  if (sum_x2 == 0 || sum_y2 == 0) {
    return kNan;
  }
  const double cosine = sum_xy / (std::sqrt(sum_x2) * std::sqrt(sum_y2));
  // Rounding may step over the ends; nan compares false and stays.
  return cosine > 1 ? 1 : cosine < -1 ? -1 : cosine;
}

double PairStatistics::MeanError() const {
  if (AreEqual()) {
    return 0;
  }
  return count == 0 ? kNan : -sum_e / static_cast<double>(count);
}

double PairStatistics::BiasShare() const {
  if (sum_e2 == 0) {
    return AreEqual() ? 0 : kNan;
  }
  const double share = sum_e * sum_e / (static_cast<double>(count) * sum_e2);
  return share > 1 ? 1 : share;  // Rounding; nan stays.
}

}  // namespace ns
