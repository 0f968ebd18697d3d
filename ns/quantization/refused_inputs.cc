#include "ns/quantization/refused_inputs.h"

#include <torch/csrc/jit/ir/ir.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/status.h"
#include "ns/batches/run_batches.h"
#include "ns/quantization/fold_for_quantization.h"
#include "passes/quantization/float_subgraphs.h"
#include "passes/quantization/layer_site.h"
#include "passes/rewrite/tap_value.h"

namespace ns {
namespace {

// Why the dynamic op of a linear layer refuses an input of `rank` dimensions;
// empty where it does not.
std::string ReasonOfLinear(int64_t rank) {
  return rank < 2 ? "its input is a vector; its kernel takes matrices" : "";
}

// The same for the indices of an embedding.
std::string ReasonOfEmbedding(int64_t rank) {
  return rank == 1 || rank == 2
             ? ""
             : absl::StrCat("its indices have ", rank,
                            " dimensions; its kernel takes 1 or 2");
}

}  // namespace

absl::StatusOr<std::map<std::string, std::string>> RefusedInputs(
    const ModelGraph& model, const Batch& batch) {
  NS_ASSIGN_OR_RETURN(ModelGraph copy,
                      FoldForQuantization(model, /*compat=*/false));
  std::map<std::string, std::string> refused;
  const auto watch = [&](const FloatSubgraph& layer, const char* input,
                         std::string (*reason_of)(int64_t rank)) {
    torch::jit::Node& node = *layer.subgraph.base;
    return TapInput(
        copy, node, ArgumentIndex(node, input),
        [&refused, reason_of, name = layer.name](const at::Tensor& value) {
          if (std::string reason = reason_of(value.dim()); !reason.empty()) {
            refused.emplace(name, std::move(reason));
          }
          return value;
        });
  };
  const std::vector<FloatSubgraph> layers = FindFloatSubgraphs(copy.graph());
  for (const FloatSubgraph& layer : layers) {
    if (layer.family == "linear") {
      NS_RETURN_IF_ERROR(watch(layer, "input", ReasonOfLinear));
    } else if (layer.family == "embedding") {
      NS_RETURN_IF_ERROR(watch(layer, "indices", ReasonOfEmbedding));
    }
  }
  NS_RETURN_IF_ERROR(RunBatch("float", copy, batch, 0).status());
  return refused;
}

}  // namespace ns
