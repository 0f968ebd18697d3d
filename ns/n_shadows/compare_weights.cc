#include "ns/n_shadows/compare_weights.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "passes/analysis/subgraph_weights.h"
#include "passes/quantization/layers/float_subgraphs.h"
#include "passes/quantization/qconfig/kernel_support.h"
#include "passes/runtime/observers/fake_quantize_weight.h"

namespace ns {
namespace {

absl::Status Append(const FloatSubgraph& subgraph, const QConfig& qconfig,
                    std::vector<QuantizedWeight>& quantized) {
  NS_ASSIGN_OR_RETURN(const std::vector<NamedTensor> weights,
                      SubgraphWeights(subgraph.subgraph));
  for (const NamedTensor& weight : weights) {
    QuantizedWeight one;
    one.subgraph = subgraph.name;
    one.parameter = weight.name;
    one.qconfig = QConfigName(qconfig);
    one.value = weight.value;
    NS_RETURN_IF_ERROR(CatchTorchErrors(
        absl::StrCat("quantizing the weight of ", subgraph.name), [&] {
          one.quantized = FakeQuantizeWeight(one.value, qconfig.weight.config);
          one.statistics = ComparePair(one.value, one.quantized);
        }));
    quantized.push_back(std::move(one));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<QuantizedWeight>> NShadowsCompareWeights(
    const ModelGraph& model, const QConfigMapping& mapping) {
  NS_RETURN_IF_ERROR(mapping.Validate());
  std::vector<QuantizedWeight> quantized;
  for (const FloatSubgraph& subgraph : FindFloatSubgraphs(model.graph())) {
    const QConfigChoice choice = mapping.Choose(subgraph);
    if (!choice.qconfig || !QuantizesWeight(subgraph.family)) {
      continue;
    }
    const absl::Status status =
        CheckKernel(*choice.qconfig, subgraph.op, subgraph.family);
    if (!status.ok() && choice.names_target) {
      return status;
    }
    if (status.ok()) {
      NS_RETURN_IF_ERROR(Append(subgraph, *choice.qconfig, quantized));
    }
  }
  return quantized;
}

}  // namespace ns
