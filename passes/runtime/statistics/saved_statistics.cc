#include "passes/runtime/statistics/saved_statistics.h"

#include <c10/util/Exception.h>

#include <algorithm>
#include <limits>

namespace ns {
namespace {

// This differs from any count, which came first in older lists and is not
// negative.
constexpr double kHasSumE = -2;

struct Form {
  size_t first;  // the index where the first part begins
  size_t each;   // the number of numbers that a part has
};

Form FormOf(const std::vector<double>& numbers) {
  constexpr Form kNow = {1, PairStatistics::kNumbers};
  constexpr Form kBeforeSumE = {0, PairStatistics::kNumbers - 1};
  return !numbers.empty() && numbers[0] == kHasSumE ? kNow : kBeforeSumE;
}

}  // namespace

std::vector<double> NumbersOf(const std::vector<PairStatistics>& parts) {
  std::vector<double> numbers = {kHasSumE};
  for (const PairStatistics& part : parts) {
    const PairStatistics::Numbers of_part = part.ToNumbers();
    numbers.insert(numbers.end(), of_part.begin(), of_part.end());
  }
  return numbers;
}

std::vector<PairStatistics> StatisticsFromNumbers(
    const std::vector<double>& numbers) {
  const Form form = FormOf(numbers);
  TORCH_CHECK((numbers.size() - form.first) % form.each == 0, "statistics of ",
              numbers.size(), " numbers; each has ", form.each);
  std::vector<PairStatistics> parts;
  for (size_t i = form.first; i < numbers.size(); i += form.each) {
    PairStatistics::Numbers of_part;
    of_part.back() = std::numeric_limits<double>::quiet_NaN();
    std::copy_n(numbers.begin() + static_cast<ptrdiff_t>(i), form.each,
                of_part.begin());
    parts.push_back(PairStatistics::FromNumbers(of_part));
  }
  return parts;
}

size_t SavedSize(const std::vector<double>& numbers) {
  const Form form = FormOf(numbers);
  return form.first + form.each;
}

}  // namespace ns
