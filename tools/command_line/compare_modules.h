// Compares whole modules for `ns compare`: quantized modules with the float
// modules that run beside them ("stubs"), and outputs of modules and models.
#ifndef TOOLS_COMMAND_LINE_COMPARE_MODULES_H_
#define TOOLS_COMMAND_LINE_COMPARE_MODULES_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "ns/batches/batch_reader.h"
#include "ns/suite/comparison_result.h"
#include "tools/command_line/model_pair.h"

namespace ns {

// Types of modules are written in full or by their last part: "Conv2d" or
// "torch.nn.modules.conv.Conv2d" (IsTypeNamed in ir/module_path.h).
struct ModuleOptions {
  // Whether float modules run beside their quantized ones, on the inputs of
  // these (CompareStubs in ns/eager/stub_comparer.h).
  bool stubs = false;
  // The types of these float modules. `stubs` needs at least one.
  std::vector<std::string> swap_list;
  // Whether outputs of modules and models are compared, each model on its own
  // values (CompareOutputs in ns/eager/output_comparer.h).
  bool outputs = false;
  // The types of the modules for `outputs`, in either model; empty for
  // DefaultOutputModuleTypes (ns/eager/output_module_types.h).
  std::vector<std::string> output_types;

  bool Any() const { return stubs || outputs; }
};

// Error: types without the option that they are for, or `stubs` without a
// swap_list. CompareModules does not check this.
absl::Status CheckModuleOptions(const ModuleOptions& options);

// Loads both models and sets `stubs` and `outputs` of `result`, as far as
// `options` ask for them. Adds their warnings, each once, and sets `batches`
// where it is 0. Shows a progress bar unless `quiet`. Error: a model that
// cannot be loaded, or that of CompareStubs or CompareOutputs.
absl::Status CompareModules(const ModuleOptions& options,
                            const ModelPairOptions& models,
                            const BatchReader& batches, bool quiet,
                            ComparisonResult& result);

}  // namespace ns

#endif  // TOOLS_COMMAND_LINE_COMPARE_MODULES_H_
