// `ns quantize --eager`: quantizes a module hierarchy.
#ifndef TOOLS_COMMAND_LINE_QUANTIZE_MODULES_H_
#define TOOLS_COMMAND_LINE_QUANTIZE_MODULES_H_

#include <cstdint>
#include <functional>

#include "absl/status/statusor.h"
#include "ns/batches/batch_reader.h"
#include "ns/quantization/quantize_summary.h"
#include "tools/command_line/quantize_flags.h"

namespace ns {

// Quantizes the model of `flags` module by module, writes the file, and returns
// what to report. In the static mode, chains of modules are fused first.
// `progress` is called with the numbers of batches done and to do. Error: which
// file is at fault; in the static mode, also a model without a QuantStub.
absl::StatusOr<QuantizeSummary> QuantizeModules(
    const QuantizeFlags& flags, const BatchReader& batches,
    const std::function<void(int64_t done, int64_t total)>& progress);

}  // namespace ns

#endif  // TOOLS_COMMAND_LINE_QUANTIZE_MODULES_H_
