// Loads the models of the FX suite's acceptance list, which
// tests/models/fx_cases.py makes.
#ifndef TESTS_TESTING_FX_CASES_H_
#define TESTS_TESTING_FX_CASES_H_

#include <ATen/core/ivalue.h>
#include <torch/csrc/jit/api/module.h>

#include <string>
#include <vector>

#include "ir/model/model_graph.h"

namespace ns {

// Returns the model of a case. `stage` is "float", "prepared" (with observers
// or fake quantization) or "quantized". Throws when there is no such case.
torch::jit::Module FxModule(const std::string& name, const std::string& stage);
ModelGraph FxModel(const std::string& name, const std::string& stage);

// Returns the arguments of one call.
std::vector<c10::IValue> FxInputs(const std::string& name);

}  // namespace ns

#endif  // TESTS_TESTING_FX_CASES_H_
