#include "ns/eager/eager_suite.h"

#include "ir/base/status.h"
#include "ir/model/model_graph.h"
#include "ns/batches/run_batches.h"
#include "ns/eager/matching_activations.h"

namespace ns {

absl::StatusOr<LoggerDict> CompareModelOutputs(
    const torch::jit::Module& float_module,
    const torch::jit::Module& quantized_module,
    const std::vector<Batch>& batches, const OutputOptions& options) {
  NS_ASSIGN_OR_RETURN(
      PreparedModels models,
      PrepareModelOutputs(float_module, quantized_module, options));
  NS_RETURN_IF_ERROR(RunBatches("float", models.float_model, batches));
  NS_RETURN_IF_ERROR(RunBatches("quantized", models.quantized_model, batches));
  return GetMatchingActivations(models.float_model.module(),
                                models.quantized_model.module());
}

absl::StatusOr<LoggerDict> CompareModelStub(
    const torch::jit::Module& float_module,
    const torch::jit::Module& quantized_module,
    const std::vector<std::string>& module_swap_list,
    const std::vector<Batch>& batches, const StubOptions& options) {
  NS_ASSIGN_OR_RETURN(ModelGraph model,
                      PrepareModelWithStubs(float_module, quantized_module,
                                            module_swap_list, options));
  NS_RETURN_IF_ERROR(RunBatches("quantized", model, batches));
  return GetLoggerDict(model.module());
}

}  // namespace ns
