// Computes error figures of stubs, batch by batch.
#ifndef NS_EAGER_STUB_COMPARER_H_
#define NS_EAGER_STUB_COMPARER_H_

#include <torch/csrc/jit/api/module.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ns/batches/batches.h"
#include "ns/result/comparison_result.h"

namespace ns {

struct StubComparerOptions {
  // The types of the float modules that run as shadows beside their quantized
  // counterparts; see PrepareModelWithStubs.
  std::vector<std::string> swap_list;
  // The method to run.
  std::string method = "forward";
  // Called after each batch with the number done and the number to do.
  std::function<void(int64_t done, int64_t total)> progress = nullptr;
};

struct StubComparisons {
  // The stubs in order of execution. A module is left out, with all its
  // outputs, when no batch reached it, or when the shapes of its first output
  // differ from the shadow's in every batch.
  std::vector<StubComparison> stubs;
  // One line for all modules that are fused in the quantized model alone (see
  // FusionWarning), one for each output whose two values have different shapes,
  // and one for nan and infinities in the inputs.
  std::vector<std::string> warnings;
};

// Runs the quantized model with stubs (see PrepareModelWithStubs) and compares
// the output of each quantized module, all tensors of a tuple, with that of its
// float shadow. Memory holds the outputs of one batch.
//
// Errors: as PrepareModelWithStubs; a module of the swap list that gives no
// tensor, tuple or list of tensors; a swap list all of whose modules stayed
// float or are never called; a batch that does not fit the model.
absl::StatusOr<StubComparisons> CompareStubs(
    const torch::jit::Module& float_module,
    const torch::jit::Module& quantized_module,
    const std::vector<Batch>& batches, const StubComparerOptions& options);

}  // namespace ns

#endif  // NS_EAGER_STUB_COMPARER_H_
