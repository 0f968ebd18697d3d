// What `ns quantize --budget` does: a search chooses what stays in float.
#ifndef TOOLS_COMMANDS_QUANTIZE_QUANTIZE_WITHIN_BUDGET_H_
#define TOOLS_COMMANDS_QUANTIZE_QUANTIZE_WITHIN_BUDGET_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/status/statusor.h"
#include "ns/batches/batch_reader.h"
#include "ns/quantization/report/quantize_summary.h"
#include "passes/quantization/qconfig/qconfig_mapping.h"
#include "tools/command_line/output_files.h"
#include "tools/flags/quantize_flags.h"

namespace ns {

// Makes the fastest model that Search (ns/search/search.h) finds for
// flags.budget_db, which must be there, and adds it to `files`. Sets `mapping`
// to that of the recipe. Error: that of Search, which is out of range where no
// recipe keeps the budget; a file that cannot be read.
absl::StatusOr<QuantizeSummary> QuantizeWithinBudget(
    const QuantizeFlags& flags, const BatchReader& batches,
    const std::function<void(int64_t done, int64_t total)>& progress,
    QConfigMapping& mapping, std::vector<FileToWrite>& files);

}  // namespace ns

#endif  // TOOLS_COMMANDS_QUANTIZE_QUANTIZE_WITHIN_BUDGET_H_
