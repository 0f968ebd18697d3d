#include "ns/quantization/model/refused_inputs.h"

#include <torch/csrc/jit/ir/ir.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ir/base/status.h"
#include "ir/graph/graph_walk.h"
#include "ir/graph/node_view.h"
#include "ns/batches/run_batches.h"
#include "ns/quantization/model/fold_for_quantization.h"
#include "passes/quantization/layers/float_subgraphs.h"
#include "passes/quantization/layers/layer_site.h"
#include "passes/rewrite/kernel_ranks.h"
#include "passes/rewrite/tap_value.h"

namespace ns {
namespace {

// Which input of a quantized op has a rank that its kernel may refuse; nothing
// for other ops.
std::optional<size_t> InputToSee(absl::string_view op) {
  if (op == "quantized::linear_dynamic" ||
      op == "quantized::linear_relu_dynamic") {
    return 0;
  }
  if (op == "quantized::embedding_byte" || op == "quantized::embedding_4bit") {
    return 1;
  }
  return std::nullopt;
}

bool HasRank(const torch::jit::Value& value) {
  const auto type = value.type()->cast<c10::TensorType>();
  return type && type->dim();
}

}  // namespace

absl::StatusOr<std::map<std::string, std::string>> RefusedInputs(
    const ModelGraph& model, const BatchReader& batches,
    const std::function<void(size_t done)>& after_batch) {
  NS_ASSIGN_OR_RETURN(ModelGraph copy,
                      FoldForQuantization(model, /*compat=*/false));
  std::map<std::string, std::string> refused;
  bool is_needed = false;
  const auto watch = [&](const FloatSubgraph& layer, const char* input,
                         absl::Status (*check)(int64_t rank)) {
    torch::jit::Node& node = *layer.subgraph.base;
    is_needed = true;
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
  if (is_needed) {
    NS_RETURN_IF_ERROR(RunBatches("float", copy, batches,
                                  FirstBatches(batches.size()), after_batch));
  }
  return refused;
}

void WarnOfUnseenRanks(const ModelGraph& quantized,
                       QuantizationReport& report) {
  int64_t unseen = 0;
  ForEachNode(quantized.graph().block(), [&](const torch::jit::Node* node) {
    const std::optional<size_t> input = InputToSee(OpName(*node));
    unseen += input && !HasRank(*node->input(*input)) ? 1 : 0;
  });
  if (unseen > 0) {
    report.warnings.push_back(absl::StrCat(
        "no batch shows the inputs of ", unseen,
        unseen == 1 ? " layer" : " layers",
        "; kernels fail where a linear layer gets a vector, or an embedding "
        "indices with other than one or two dimensions; give sample batches, "
        "and layers that do stay in float"));
  }
}

}  // namespace ns
