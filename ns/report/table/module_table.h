// Prints figures of whole modules as a table for a terminal.
#ifndef NS_REPORT_TABLE_MODULE_TABLE_H_
#define NS_REPORT_TABLE_MODULE_TABLE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "ns/report/table/table_report.h"

namespace ns {

struct ModuleRow {
  // The module's path.
  std::string name;
  // The qualified types of both modules, "torch.nn.modules.conv.Conv2d"; may be
  // empty.
  std::string float_type;
  std::string quantized_type;
  // Of the first tensor that the module returns.
  double sqnr_db = 0;
  // Another tensor that it returns, and what to call it: "c_n".
  struct Other {
    std::string name;
    double sqnr_db = 0;
  };
  std::vector<Other> others = {};
  // Whether the module returns integers. Their figures are printed, but do not
  // count for the lowest one, and sorting puts the row last.
  bool holds_integers = false;
};

// Returns a table with a line for each of `rows`, in their order or as
// TableOptions::sort_by_error says: the module, the last part of each type, the
// SQNR in dB, and a bar of 0 to 60 dB as in ToTable. Below it comes a line for
// each of its other tensors. At the end come the number of modules and of
// batches, and the lowest figure with its module; where another tensor has it,
// as "rnn (c_n)"; it is left out where all rows hold integers. Without rows,
// there are only the two numbers.
//
// `noun` is what the text calls a module, in the singular: "stub". `batches` is
// only printed. Of `options`, `source` and `coverage` are not used.
std::string ToModuleTable(std::vector<ModuleRow> rows, absl::string_view noun,
                          int64_t batches, const TableOptions& options);

}  // namespace ns

#endif  // NS_REPORT_TABLE_MODULE_TABLE_H_
