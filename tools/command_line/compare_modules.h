// What ns compare does with whole modules: stubs and outputs.
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
  // Float modules beside the quantized ones, and their types.
  bool stubs = false;
  std::vector<std::string> swap_list;
  // Outputs of modules and models, each model on its own values, and the types
  // of those modules; empty for the default.
  bool outputs = false;
  std::vector<std::string> output_types;

  bool Any() const { return stubs || outputs; }
};

// Error: types without what they are for, or stubs without types.
absl::Status CheckModuleOptions(const ModuleOptions& options);

// Adds to `result` what `options` ask for; warnings that it has already are
// not told again. Shows a bar unless `quiet`.
absl::Status CompareModules(const ModuleOptions& options,
                            const ModelPairOptions& models,
                            const BatchReader& batches, bool quiet,
                            ComparisonResult& result);

}  // namespace ns

#endif  // TOOLS_COMMAND_LINE_COMPARE_MODULES_H_
