#include "ns/eager/compare_weights.h"

#include <string>
#include <utility>
#include <vector>

#include "ir/base/status.h"
#include "ns/eager/module_weights.h"
#include "ns/eager/weight_pairs.h"

namespace ns {
namespace {

LoggerDict Compare(const KeyedTensors& float_tensors,
                   std::vector<ModuleWeight> quantized,
                   const CompareWeightsOptions& options) {
  LoggerDict compared;
  for (WeightPair& pair :
       PairWeights(float_tensors, std::move(quantized), options.compat)) {
    if (pair.of_float.empty()) {
      continue;
    }
    LoggerStats stats;
    for (FloatWeight& weight : pair.of_float) {
      stats[kFloatValues].push_back(std::move(weight.value));
    }
    stats[kQuantizedValues] = std::move(pair.quantized.values);
    compared.emplace_back(std::move(pair.quantized.key), std::move(stats));
  }
  return compared;
}

}  // namespace

absl::StatusOr<LoggerDict> CompareWeights(
    const torch::jit::Module& float_module,
    const torch::jit::Module& quantized_module,
    const CompareWeightsOptions& options) {
  NS_ASSIGN_OR_RETURN(std::vector<ModuleWeight> weights,
                      ModuleWeights(quantized_module));
  return Compare(StateTensors(float_module), std::move(weights), options);
}

LoggerDict CompareWeights(const StateDict& float_dict,
                          const StateDict& quantized_dict,
                          const CompareWeightsOptions& options) {
  return Compare(StateTensors(float_dict), ModuleWeights(quantized_dict),
                 options);
}

}  // namespace ns
