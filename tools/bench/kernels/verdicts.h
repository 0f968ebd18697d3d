// Says whether measurements reach the bars: the speeds that they should have.
#ifndef TOOLS_BENCH_KERNELS_VERDICTS_H_
#define TOOLS_BENCH_KERNELS_VERDICTS_H_

#include <string>
#include <vector>

#include "tools/bench/kernels/row.h"

namespace ns::bench {

// Returns a line for each bar and number of threads for which there are rows,
// such as
//
//   holds  1 thread  linear vs oneDNN: 15 rows, geomean 1.07 (bar 1.05), lowest
//          0.97 (bar 0.95) at 8,768,768 of linear
//
// It begins with "FAILS" where one of its figures is below its bar. Bars, of
// warm weights where nothing else is said:
//
//   linear, warm and cold  vs oneDNN: geometric mean 1.05, lowest 0.95
//   conv                   vs oneDNN: geometric mean 1.05, lowest 0.95
//   depthwise, grouped     vs oneDNN: geometric mean 1.4 and 1.2
//   linear of M <= 8       vs LibTorch's faster engine: lowest 3
//   linear of M >= 64      of the peak of vectors: lowest 0.90
//   linear of M = 1        of the roofline, warm and cold: lowest 0.85
//   quantize, dequantize   of memcpy, or memset: lowest 0.80
std::string FormatVerdicts(const std::vector<Row>& rows);

}  // namespace ns::bench

#endif  // TOOLS_BENCH_KERNELS_VERDICTS_H_
