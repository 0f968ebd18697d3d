// How far the outputs of two models are from each other.
#ifndef TOOLS_BENCH_KERNELS_OUTPUT_DIFFERENCE_H_
#define TOOLS_BENCH_KERNELS_OUTPUT_DIFFERENCE_H_

#include <ATen/core/ivalue.h>

#include <string>
#include <vector>

namespace ns::bench {

// A line for each pair of tensors of `expected` and `actual`, which may be in
// tuples, lists and dicts: of codes, how many differ and by how much at most;
// of the values, 20 log10(norm(expected) / norm(expected - actual)) in dB, or
// that they are equal. What is no tensor is not compared. One line says so
// where the numbers of tensors, or their sizes, are not the same.
std::vector<std::string> OutputDifferences(const c10::IValue& expected,
                                           const c10::IValue& actual);

}  // namespace ns::bench

#endif  // TOOLS_BENCH_KERNELS_OUTPUT_DIFFERENCE_H_
