// Sums of rows of quantized tables, as cases.
#ifndef TOOLS_KERNEL_BENCH_EMBEDDING_CASES_H_
#define TOOLS_KERNEL_BENCH_EMBEDDING_CASES_H_

#include <cstdint>
#include <vector>

#include "tools/kernel_bench/operator_case.h"

namespace ns::bench {

// 8-bit rows of 128 columns, in bags of 32 indices. Bytes are those of the rows
// that are looked up and of the sums.
std::vector<OperatorCase> EmbeddingCases(int64_t bags);

}  // namespace ns::bench

#endif  // TOOLS_KERNEL_BENCH_EMBEDDING_CASES_H_
