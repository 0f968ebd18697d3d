// How far the outputs of two models are from each other.
#ifndef TOOLS_BENCH_KERNELS_OUTPUT_DIFFERENCE_H_
#define TOOLS_BENCH_KERNELS_OUTPUT_DIFFERENCE_H_

#include <ATen/core/ivalue.h>

#include <string>
#include <vector>

namespace ns::bench {

// Returns a line for each pair of tensors in `expected` and `actual`, the first
// with the first and so on. They may be in tuples, lists and dicts; what is no
// tensor is left out. Where both tensors are quantized, the line says how many
// of their integers (int_repr, "codes") differ, and by how much at most. It
// then has 20 log10(norm(expected) / norm(expected - actual)) of their values
// in dB, or says that they are equal. For tensors of different sizes, the line
// says just that. Where the numbers of tensors differ, there is one line, which
// has these.
std::vector<std::string> OutputDifferences(const c10::IValue& expected,
                                           const c10::IValue& actual);

}  // namespace ns::bench

#endif  // TOOLS_BENCH_KERNELS_OUTPUT_DIFFERENCE_H_
