// Sums of rows of quantized tables, as cases.
#ifndef TOOLS_BENCH_KERNELS_EMBEDDING_CASES_H_
#define TOOLS_BENCH_KERNELS_EMBEDDING_CASES_H_

#include <cstdint>
#include <vector>

#include "tools/bench/kernels/operator_case.h"

namespace ns::bench {

// 8-bit rows of 128 columns, in bags of 32 indices. Bytes are those of the rows
// that are looked up and of the sums.
std::vector<OperatorCase> EmbeddingCases(int64_t bags);

}  // namespace ns::bench

#endif  // TOOLS_BENCH_KERNELS_EMBEDDING_CASES_H_
