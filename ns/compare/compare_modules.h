// Compares whole modules: quantized modules with the float modules that run
// beside them ("stubs"), and outputs of modules and models.
#ifndef NS_COMPARE_COMPARE_MODULES_H_
#define NS_COMPARE_COMPARE_MODULES_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "ns/batches/batch_reader.h"
#include "ns/compare/load_pair.h"
#include "ns/result/comparison_result.h"

namespace ns {

// Types of modules are written in full or by their last part: "Conv2d" or
// "torch.nn.modules.conv.Conv2d" (IsTypeNamed in ir/graph/module_path.h).
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

// Starts to show the progress of a part of the work: returns what is called
// after each batch with the number done and the number to do. May be null.
using StartProgress =
    std::function<std::function<void(int64_t done, int64_t total)>()>;

// Loads both models and sets `stubs` and `outputs` of `result`, as far as
// `options` ask for them. Adds their warnings, each once, and sets `batches`
// where it is 0. `progress` is called for each of the two. Error: a model that
// cannot be loaded, or that of CompareStubs or CompareOutputs.
absl::Status CompareModules(const ModuleOptions& options,
                            const ModelPairOptions& models,
                            const BatchReader& batches,
                            const StartProgress& progress,
                            ComparisonResult& result);

}  // namespace ns

#endif  // NS_COMPARE_COMPARE_MODULES_H_
