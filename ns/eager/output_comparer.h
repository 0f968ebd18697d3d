// Computes error figures of what modules and models return, batch by batch.
#ifndef NS_EAGER_OUTPUT_COMPARER_H_
#define NS_EAGER_OUTPUT_COMPARER_H_

#include <torch/csrc/jit/api/module.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ns/batches/batch_reader.h"
#include "ns/result/comparison_result.h"

namespace ns {

struct OutputComparerOptions {
  // The types of modules to compare, as OutputOptions::allow_list.
  std::optional<std::vector<std::string>> allow_list = std::nullopt;
  // The method to run.
  std::string method = "forward";
  // Called after each batch with the number done and the number to do.
  std::function<void(int64_t done, int64_t total)> progress = nullptr;
};

struct OutputComparisons {
  // The modules in order of execution of the quantized model, without those
  // that no batch reached; then the tensors that the models return, in their
  // order.
  std::vector<ModuleOutputComparison> outputs;
  // One line for all modules of which only the quantized one is fused
  // (fusion_warning.h), one for each module whose values could not be compared,
  // one for each tensor that one model alone returns, and one for inputs that
  // are not finite.
  std::vector<std::string> warnings;
};

// Runs both models on each batch, each on its own values, and compares the
// outputs of corresponding modules (see PrepareModelOutputs and
// GetMatchingActivations) and what the models return. The figures are those of
// CompareModelOutputs, but memory holds the outputs of one batch only.
//
// Errors: as PrepareModelOutputs; an allow list that names no module which both
// models call; a batch that cannot be read or does not fit a model; NotFound
// for models that return no tensor at the same place.
absl::StatusOr<OutputComparisons> CompareOutputs(
    const torch::jit::Module& float_module,
    const torch::jit::Module& quantized_module, const BatchReader& batches,
    const OutputComparerOptions& options = {});

}  // namespace ns

#endif  // NS_EAGER_OUTPUT_COMPARER_H_
