// Saves what PrepareModelWithStubs and PrepareModelOutputs make of two models:
//
//   save_prepared FLOAT QUANTIZED TYPE STUBS_OUT OUTPUTS_OUT
#include <torch/csrc/jit/api/module.h>

#include <cstdio>

#include "absl/status/status.h"
#include "ir/base/status.h"
#include "ir/files/module_file.h"
#include "ir/model/model_graph.h"
#include "ns/eager/prepare_model_outputs.h"
#include "ns/eager/prepare_model_with_stubs.h"

namespace {

absl::Status Save(char** arguments) {
  NS_ASSIGN_OR_RETURN(const torch::jit::Module float_module,
                      ns::LoadModule(arguments[1]));
  NS_ASSIGN_OR_RETURN(const torch::jit::Module quantized_module,
                      ns::LoadModule(arguments[2]));
  NS_ASSIGN_OR_RETURN(const ns::ModelGraph stubs,
                      ns::PrepareModelWithStubs(float_module, quantized_module,
                                                {arguments[3]}));
  NS_RETURN_IF_ERROR(stubs.Save(arguments[4]));
  NS_ASSIGN_OR_RETURN(const ns::PreparedModels outputs,
                      ns::PrepareModelOutputs(float_module, quantized_module));
  return outputs.quantized_model.Save(arguments[5]);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    std::fputs("save_prepared: five arguments, please\n", stderr);
    return 2;
  }
  const absl::Status status = Save(argv);
  if (!status.ok()) {
    std::fprintf(stderr, "save_prepared: %s\n", status.ToString().c_str());
  }
  return status.ok() ? 0 : 1;
}
