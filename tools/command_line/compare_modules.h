// Compares whole modules for `ns compare`: stubs and outputs.
#ifndef TOOLS_COMMAND_LINE_COMPARE_MODULES_H_
#define TOOLS_COMMAND_LINE_COMPARE_MODULES_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "ns/batches/batch_reader.h"
#include "ns/suite/comparison_result.h"
#include "tools/command_line/model_pair.h"

namespace ns {

struct ModuleOptions {
  // Whether float modules run beside the quantized ones, and the types of these
  // float modules.
  bool stubs = false;
  std::vector<std::string> swap_list;
  // Whether outputs of modules and models are compared, each model on its own
  // values, and the types of those modules; empty for the default types.
  bool outputs = false;
  std::vector<std::string> output_types;

  bool Any() const { return stubs || outputs; }
};

// Error: types without the option that they are for, or stubs without types.
absl::Status CheckModuleOptions(const ModuleOptions& options);

// Adds what `options` ask for to `result`, except for warnings that it already
// has. Shows a progress bar unless `quiet`.
absl::Status CompareModules(const ModuleOptions& options,
                            const ModelPairOptions& models,
                            const BatchReader& batches, bool quiet,
                            ComparisonResult& result);

}  // namespace ns

#endif  // TOOLS_COMMAND_LINE_COMPARE_MODULES_H_
