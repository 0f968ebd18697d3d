// `ns quantize --eager`: quantizes a module hierarchy.
#ifndef TOOLS_COMMANDS_QUANTIZE_QUANTIZE_MODULES_H_
#define TOOLS_COMMANDS_QUANTIZE_QUANTIZE_MODULES_H_

#include <torch/csrc/jit/api/module.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/files/atomic_file.h"
#include "ns/batches/batch_reader.h"
#include "ns/quantization/eager/module_qconfig.h"
#include "ns/quantization/report/quantize_summary.h"
#include "tools/flags/quantize_flags.h"

namespace ns {

// Loads the float model of `flags` and switches it to eval(). Error: a model
// without a QuantStub where the mode is static or qat; a file that cannot be
// read.
absl::StatusOr<torch::jit::Module> LoadHierarchy(const QuantizeFlags& flags);

// Returns `spec` with no qconfig for the modules that `flags` keep in float.
QConfigSpec WithKept(const QuantizeFlags& flags, QConfigSpec spec);

// Quantizes the float model of `flags` module by module, adds what writes it to
// flags.out_path to `files`, and returns what to report. Not for the mode qat.
// In the static mode, chains of modules are fused first. `progress` gets the
// number of batches that were run, and of all that will be: a batch that
// calibrates and measures counts twice. Error: which file is at fault.
absl::StatusOr<QuantizeSummary> QuantizeModules(
    const QuantizeFlags& flags, const BatchReader& batches,
    const std::function<void(int64_t done, int64_t total)>& progress,
    std::vector<FileToWrite>& files);

}  // namespace ns

#endif  // TOOLS_COMMANDS_QUANTIZE_QUANTIZE_MODULES_H_
