#include "ns/compare/compare_modules.h"

#include <torch/csrc/jit/api/module.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "ir/base/status.h"
#include "ir/files/module_file.h"
#include "ns/compare/engines.h"
#include "ns/eager/output_comparer.h"
#include "ns/eager/stub_comparer.h"

namespace ns {
namespace {

struct Modules {
  torch::jit::Module of_float;
  torch::jit::Module of_quantized;
};

absl::StatusOr<Modules> Load(const ModelPairOptions& models) {
  Modules modules;
  NS_ASSIGN_OR_RETURN(modules.of_float, LoadModule(models.float_path));
  NS_ASSIGN_OR_RETURN(modules.of_quantized, LoadModule(models.quantized_path));
  return modules;
}

void AddWarnings(const std::vector<std::string>& warnings,
                 ComparisonResult& result) {
  for (const std::string& warning : warnings) {
    // Layers were compared on the same inputs and may have warned already.
    if (!absl::c_linear_search(result.warnings, warning)) {
      result.warnings.push_back(warning);
    }
  }
}

// Where layers were compared, too, their run may have ended earlier.
void NoteBatches(int64_t batches, ComparisonResult& result) {
  if (result.batches == 0) {
    result.batches = batches;
  }
}

absl::Status AddStubs(const ModuleOptions& options,
                      const ModelPairOptions& models, const BatchReader& reader,
                      const StartProgress& progress, ComparisonResult& result) {
  NS_ASSIGN_OR_RETURN(const std::vector<Batch> batches, reader.ReadAll());
  NS_ASSIGN_OR_RETURN(const Modules modules, Load(models));
  StubComparerOptions stub_options;
  stub_options.swap_list = options.swap_list;
  stub_options.method = models.method;
  if (progress) {
    stub_options.progress = progress();
  }
  NS_ASSIGN_OR_RETURN(StubComparisons comparisons,
                      CompareStubs(modules.of_float, modules.of_quantized,
                                   batches, stub_options));
  result.stubs = std::move(comparisons.stubs);
  NoteBatches(static_cast<int64_t>(batches.size()), result);
  AddWarnings(comparisons.warnings, result);
  return absl::OkStatus();
}

absl::Status AddOutputs(const ModuleOptions& options,
                        const ModelPairOptions& models,
                        const BatchReader& batches,
                        const StartProgress& progress,
                        ComparisonResult& result) {
  NS_ASSIGN_OR_RETURN(const Modules modules, Load(models));
  OutputComparerOptions output_options;
  if (!options.output_types.empty()) {
    output_options.allow_list = options.output_types;
  }
  output_options.method = models.method;
  if (progress) {
    output_options.progress = progress();
  }
  NS_ASSIGN_OR_RETURN(OutputComparisons comparisons,
                      CompareOutputs(modules.of_float, modules.of_quantized,
                                     batches, output_options));
  result.outputs = std::move(comparisons.outputs);
  NoteBatches(batches.size(), result);
  AddWarnings(comparisons.warnings, result);
  return absl::OkStatus();
}

}  // namespace

absl::Status CompareModules(const ModuleOptions& options,
                            const ModelPairOptions& models,
                            const BatchReader& batches,
                            const StartProgress& progress,
                            ComparisonResult& result) {
  if (options.stubs) {
    NS_RETURN_IF_ERROR(WithEngine(models.engine, [&] {
      return AddStubs(options, models, batches, progress, result);
    }));
  }
  return options.outputs
             ? WithEngine(models.engine,
                          [&] {
                            return AddOutputs(options, models, batches,
                                              progress, result);
                          })
             : absl::OkStatus();
}

}  // namespace ns
