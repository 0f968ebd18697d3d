// Prints the figures of stubs and of outputs as tables for a terminal.
#ifndef NS_REPORT_TABLE_STUB_TABLE_H_
#define NS_REPORT_TABLE_STUB_TABLE_H_

#include <string>

#include "ns/report/table/table_report.h"
#include "ns/result/comparison_result.h"

namespace ns {

// Returns a row for each stub of `result`: the module, its float and its
// quantized type, SQNR in dB of its output, and a bar of 0 to 60 dB, as in
// ToTable; below it a row for each other tensor that it returns. Then come
// their count, that of batches, and the lowest figure of all. Without stubs, or
// where `result.stubs` is absent, the counts are all: "0 stubs, 3 batches".
// There are no columns for metrics of the user, which stubs do not have.
std::string ToStubTable(const ComparisonResult& result,
                        const TableOptions& options);

// Does the same for `result.outputs`. Those of the models themselves have no
// types.
std::string ToOutputTable(const ComparisonResult& result,
                          const TableOptions& options);

}  // namespace ns

#endif  // NS_REPORT_TABLE_STUB_TABLE_H_
