// Prints figures of whole modules as a table for a terminal.
#ifndef NS_REPORT_MODULE_TABLE_H_
#define NS_REPORT_MODULE_TABLE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "ns/report/table_report.h"

namespace ns {

struct ModuleRow {
  // The module's path.
  std::string name;
  // The qualified types of both modules; may be empty.
  std::string float_type;
  std::string quantized_type;
  double sqnr_db = 0;
  // A tensor that the module returns besides its first.
  struct Other {
    std::string name;
    double sqnr_db = 0;
  };
  std::vector<Other> others = {};
};

// Returns a row for each of `rows`: the module, the last parts of its types,
// its SQNR in dB, and a bar of 0 to 60 dB, as in ToTable; then one for each of
// its other tensors. Below come the count of modules, the number of batches,
// and the lowest figure, "rnn (c_n)" where another tensor has it. `noun` says
// what a row is: "stub".
std::string ToModuleTable(std::vector<ModuleRow> rows, absl::string_view noun,
                          int64_t batches, const TableOptions& options);

}  // namespace ns

#endif  // NS_REPORT_MODULE_TABLE_H_
