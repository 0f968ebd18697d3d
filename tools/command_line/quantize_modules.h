// `ns quantize --eager`: quantizes a module hierarchy.
#ifndef TOOLS_COMMAND_LINE_QUANTIZE_MODULES_H_
#define TOOLS_COMMAND_LINE_QUANTIZE_MODULES_H_

#include <torch/csrc/jit/api/module.h>

#include <cstdint>
#include <functional>

#include "absl/status/statusor.h"
#include "ns/batches/batch_reader.h"
#include "ns/quantization/eager/module_qconfig.h"
#include "ns/quantization/quantize_summary.h"
#include "tools/command_line/quantize_flags.h"

namespace ns {

// Loads the float model of `flags`, in evaluation. Error: in the static mode,
// and in training, a model without a QuantStub.
absl::StatusOr<torch::jit::Module> LoadHierarchy(const QuantizeFlags& flags);

// Returns `spec` with what `flags` keep in float.
QConfigSpec WithKept(const QuantizeFlags& flags, QConfigSpec spec);

// Quantizes the model of `flags` module by module, writes the file, and returns
// what to report. In the static mode, chains of modules are fused first.
// `progress` is called with the numbers of batches done and to do. Error: which
// file is at fault.
absl::StatusOr<QuantizeSummary> QuantizeModules(
    const QuantizeFlags& flags, const BatchReader& batches,
    const std::function<void(int64_t done, int64_t total)>& progress);

}  // namespace ns

#endif  // TOOLS_COMMAND_LINE_QUANTIZE_MODULES_H_
