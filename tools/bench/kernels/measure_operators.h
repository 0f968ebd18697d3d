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
// add and, unless `quick`, embedding bags; "operators" has the others.
std::vector<std::string> OperatorSections();

// Calls `use` with a row for each operator and size of `section` whose name
// contains `filter`; only small sizes when `quick`. MeasureOptions::cold does
// not count: the caches are warm. Row::of_roofline compares with a memcpy that
// reads and writes as many bytes or, where that takes longer, a memset of what
// is written, in as many threads. Changes LibTorch's quantized engine.
void MeasureOperators(const std::string& section, const MeasureOptions& options,
                      const std::string& filter, bool quick,
                      const std::function<void(const Row&)>& use);

}  // namespace ns::bench

#endif  // TOOLS_BENCH_KERNELS_MEASURE_OPERATORS_H_
