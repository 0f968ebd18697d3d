// An operator to time that spends more on moving bytes than on computing.
#ifndef TOOLS_BENCH_KERNELS_OPERATOR_CASE_H_
#define TOOLS_BENCH_KERNELS_OPERATOR_CASE_H_

#include <cstdint>
#include <functional>
#include <string>

namespace ns::bench {

struct OperatorCase {
  std::string name;
  // The bytes that a call reads and writes in all, and those that it writes.
  int64_t bytes = 0;
  int64_t written = 0;
  // Call the ns kernel, with ChosenIsa() and LibTorch's threads, and LibTorch's
  // operator, which uses the quantized engine that is set.
  std::function<void()> ours;
  std::function<void()> torch;
  // Says how the results of the last calls of both differ; empty when they
  // agree, within rounding.
  std::function<std::string()> compare;
};

}  // namespace ns::bench

#endif  // TOOLS_BENCH_KERNELS_OPERATOR_CASE_H_
