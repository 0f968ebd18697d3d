// Prints the figures of stubs and of outputs as tables for a terminal.
#ifndef NS_REPORT_STUB_TABLE_H_
#define NS_REPORT_STUB_TABLE_H_

#include <string>

#include "ns/report/table_report.h"
#include "ns/suite/comparison_result.h"

namespace ns {

// Returns a row for each stub of `result`: the module, its float and its
// quantized type, SQNR in dB of its output, and a bar of 0 to 60 dB, as in
// ToTable; below it a row for each other tensor that it returns. Then come
// their count and the lowest figure of all.
std::string ToStubTable(const ComparisonResult& result,
                        const TableOptions& options);

// Does the same for outputs. Those of the models themselves have no types.
std::string ToOutputTable(const ComparisonResult& result,
                          const TableOptions& options);

}  // namespace ns

#endif  // NS_REPORT_STUB_TABLE_H_
