// Offers the eager numeric suite in one call each: prepare, run, gather.
#ifndef NS_EAGER_EAGER_SUITE_H_
#define NS_EAGER_EAGER_SUITE_H_

#include <torch/csrc/jit/api/module.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ns/batches/batches.h"
#include "ns/eager/logger_dict.h"
#include "ns/eager/prepare_model_outputs.h"
#include "ns/eager/prepare_model_with_stubs.h"

namespace ns {

// Runs both models on `batches`, each on its own values, and returns the
// outputs of corresponding modules: "float" and "quantized", one tensor a call.
// Memory holds all of it. (In PyTorch's eager suite it is
// compare_model_outputs.)
//
// Errors: as PrepareModelOutputs; a batch that does not fit a model.
absl::StatusOr<LoggerDict> CompareModelOutputs(
    const torch::jit::Module& float_module,
    const torch::jit::Module& quantized_module,
    const std::vector<Batch>& batches, const OutputOptions& options = {});

// Runs the quantized model on `batches`, with the float modules that the swap
// list names as shadows on the same values, and returns the outputs of both:
// "float" and "quantized", one tensor a call. Memory holds all of it; see
// StubComparer for figures alone. (In PyTorch's eager suite it is
// compare_model_stub.)
//
// Errors: as PrepareModelWithStubs; a batch that does not fit the model.
absl::StatusOr<LoggerDict> CompareModelStub(
    const torch::jit::Module& float_module,
    const torch::jit::Module& quantized_module,
    const std::vector<std::string>& module_swap_list,
    const std::vector<Batch>& batches, const StubOptions& options = {});

}  // namespace ns

#endif  // NS_EAGER_EAGER_SUITE_H_
