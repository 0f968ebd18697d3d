#include "ns/report/table/stub_table.h"

#include <utility>
#include <vector>

#include "ns/report/table/module_table.h"

namespace ns {
namespace {

// Returns the row of a StubComparison or a ModuleOutputComparison.
template <typename Module>
ModuleRow RowOf(const Module& module) {
  return {module.name, module.float_type, module.quantized_type,
          module.figures.error.sqnr_db};
}

}  // namespace

std::string ToStubTable(const ComparisonResult& result,
                        const TableOptions& options) {
  std::vector<ModuleRow> rows;
  for (const StubComparison& stub :
       result.stubs.value_or(std::vector<StubComparison>())) {
    ModuleRow& row = rows.emplace_back(RowOf(stub));
    for (const StubOutput& output : stub.outputs) {
      row.others.push_back({output.name, output.figures.error.sqnr_db});
    }
  }
  return ToModuleTable(std::move(rows), "stub", result.batches, options);
}

std::string ToOutputTable(const ComparisonResult& result,
                          const TableOptions& options) {
  std::vector<ModuleRow> rows;
  for (const ModuleOutputComparison& output :
       result.outputs.value_or(std::vector<ModuleOutputComparison>())) {
    rows.push_back(RowOf(output));
    rows.back().holds_integers = output.holds_integers;
  }
  return ToModuleTable(std::move(rows), "output", result.batches, options);
}

}  // namespace ns
