// An operator that moves bytes more than it computes, to time.
#ifndef TOOLS_BENCH_KERNELS_OPERATOR_CASE_H_
#define TOOLS_BENCH_KERNELS_OPERATOR_CASE_H_

#include <cstdint>
#include <functional>
#include <string>

namespace ns::bench {

struct OperatorCase {
  std::string name;
  // Read and written by a call, and those that it writes.
  int64_t bytes = 0;
  int64_t written = 0;
  // Ours, in ChosenIsa() and LibTorch's threads, and LibTorch's operator, which
  // may do differently on different engines.
  std::function<void()> ours;
  std::function<void()> torch;
  // How the last results differ; empty when they agree within a step.
  std::function<std::string()> compare;
};

}  // namespace ns::bench

#endif  // TOOLS_BENCH_KERNELS_OPERATOR_CASE_H_
