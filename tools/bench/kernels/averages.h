// What benchmarks sum up many figures with.
#ifndef TOOLS_BENCH_KERNELS_AVERAGES_H_
#define TOOLS_BENCH_KERNELS_AVERAGES_H_

#include <vector>

namespace ns::bench {

// Both are 0 when there are no values. The median of an even number of them is
// the mean of the two in the middle.
double Median(std::vector<double> values);
double GeometricMean(const std::vector<double>& values);

}  // namespace ns::bench

#endif  // TOOLS_BENCH_KERNELS_AVERAGES_H_
