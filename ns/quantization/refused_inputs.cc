#include "ns/quantization/refused_inputs.h"

#include <torch/csrc/jit/ir/ir.h>

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "ir/status.h"
#include "ns/batches/run_batches.h"
#include "ns/quantization/fold_for_quantization.h"
#include "passes/quantization/float_subgraphs.h"
#include "passes/quantization/layer_site.h"
#include "passes/rewrite/kernel_ranks.h"
#include "passes/rewrite/tap_value.h"

namespace ns {

absl::StatusOr<std::map<std::string, std::string>> RefusedInputs(
    const ModelGraph& model, const Batch& batch) {
  NS_ASSIGN_OR_RETURN(ModelGraph copy,
                      FoldForQuantization(model, /*compat=*/false));
  std::map<std::string, std::string> refused;
  const auto watch = [&](const FloatSubgraph& layer, const char* input,
                         absl::Status (*check)(int64_t rank)) {
    torch::jit::Node& node = *layer.subgraph.base;
    return TapInput(
        copy, node, ArgumentIndex(node, input),
        [&refused, check, name = layer.name](const at::Tensor& value) {
          if (const absl::Status status = check(value.dim()); !status.ok()) {
            refused.emplace(name, std::string(status.message()));
          }
          return value;
        });
  };
  const std::vector<FloatSubgraph> layers = FindFloatSubgraphs(copy.graph());
  for (const FloatSubgraph& layer : layers) {
    if (layer.family == "linear") {
      NS_RETURN_IF_ERROR(watch(layer, "input", CheckDynamicLinearRank));
    } else if (layer.family == "embedding") {
      NS_RETURN_IF_ERROR(watch(layer, "indices", CheckIndicesRank));
    }
  }
  NS_RETURN_IF_ERROR(RunBatch("float", copy, batch, 0).status());
  return refused;
}

}  // namespace ns
