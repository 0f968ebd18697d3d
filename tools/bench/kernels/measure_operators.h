// Times the operators that are not layers.
#ifndef TOOLS_BENCH_KERNELS_MEASURE_OPERATORS_H_
#define TOOLS_BENCH_KERNELS_MEASURE_OPERATORS_H_

#include <functional>
#include <string>
#include <vector>

#include "tools/bench/kernels/measure_layer.h"
#include "tools/bench/kernels/row.h"

namespace ns::bench {

// Returns the names of the sections. "elementwise" has quantize, dequantize,
// add and embedding bags; "operators" has the others.
std::vector<std::string> OperatorSections();

// Calls `use` with a row for each operator and size of `section` whose name
// contains `filter`; when `quick`, only small sizes and no embedding bags.
// `section` is one of OperatorSections. MeasureOptions::cold is ignored: the
// caches are warm. Row::of_roofline compares with the slower of two: a
// memcpy that reads and writes as many bytes, and a memset of what is written,
// in as many threads. LibTorch's quantized engine is another one afterwards.
void MeasureOperators(const std::string& section, const MeasureOptions& options,
                      const std::string& filter, bool quick,
                      const std::function<void(const Row&)>& use);

}  // namespace ns::bench

#endif  // TOOLS_BENCH_KERNELS_MEASURE_OPERATORS_H_
