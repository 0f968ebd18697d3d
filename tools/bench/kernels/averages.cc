#include "tools/bench/kernels/averages.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace ns::bench {

double Median(std::vector<double> values) {
  if (values.empty()) {
    return 0;
  }
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle]
                                : (values[middle - 1] + values[middle]) / 2;
}

double GeometricMean(const std::vector<double>& values) {
  if (values.empty()) {
    return 0;
  }
  double sum = 0;
  for (const double value : values) {
    sum += std::log(value);
  }
  return std::exp(sum / static_cast<double>(values.size()));
}

}  // namespace ns::bench
