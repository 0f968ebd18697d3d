#include "ns/report/stub_table.h"

#include <utility>
#include <vector>

#include "ns/report/module_table.h"

namespace ns {
namespace {

// A row for each of `modules`, if there are any.
template <typename Modules>
std::vector<ModuleRow> RowsOf(const Modules& modules) {
  std::vector<ModuleRow> rows;
  if (modules.has_value()) {
    for (const auto& module : *modules) {
      rows.push_back({module.name, module.float_type, module.quantized_type,
                      module.figures.error.sqnr_db});
    }
  }
  return rows;
}

}  // namespace

std::string ToStubTable(const ComparisonResult& result,
                        const TableOptions& options) {
  return ToModuleTable(RowsOf(result.stubs), "stub", result.batches, options);
}

std::string ToOutputTable(const ComparisonResult& result,
                          const TableOptions& options) {
  return ToModuleTable(RowsOf(result.outputs), "output", result.batches,
                       options);
}

}  // namespace ns
