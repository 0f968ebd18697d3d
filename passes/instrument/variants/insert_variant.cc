#include "passes/instrument/variants/insert_variant.h"

#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include <cstddef>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "ir/base/refusal.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ir/graph/insert_op.h"
#include "passes/quantization/layers/quantize_weights.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;

absl::Status SetConstants(const std::vector<ConstantInput>& constants,
                          Node& base) {
  return CatchTorchErrors("copying a layer", [&] {
    const torch::jit::WithInsertPoint before(&base);
    for (const ConstantInput& input : constants) {
      Value* value = base.owningGraph()->insertConstant(input.value);
      if (input.dequantize) {
        value = base.owningGraph()->insert(c10::aten::dequantize, {value});
      }
      base.replaceInput(input.index, value);
    }
  });
}

}  // namespace

absl::StatusOr<CopiedSubgraph> InsertVariant(
    const ModelGraph& source, const Subgraph& subgraph, const Value& output,
    absl::Span<Value* const> inputs, ModelGraph& host, Node* place,
    const LayerVariant& variant, const ValueCounterparts& counterparts) {
  // The ops in the other arms would keep theirs.
  if (!variant.constants.empty() &&
      !absl::c_linear_search(subgraph.nodes, subgraph.base)) {
    return Refusal("its op is in an arm of a prim::If");
  }
  return InsertOrTakeBack(*place, [&]() -> absl::StatusOr<CopiedSubgraph> {
    std::vector<Value*> rounded(inputs.begin(), inputs.end());
    TORCH_INTERNAL_ASSERT(variant.inputs.size() <= rounded.size());
    for (size_t i = 0; i < variant.inputs.size(); ++i) {
      NS_ASSIGN_OR_RETURN(rounded[i], InsertRounding(host, variant.inputs[i],
                                                     rounded[i], place));
    }
    Node* const before = place->prev();
    NS_ASSIGN_OR_RETURN(CopiedSubgraph copy,
                        CopySubgraph(source, subgraph, output, rounded, host,
                                     place, counterparts));
    if (!ReplaceTensors(host, before->next(), place, variant.tensors)) {
      return Refusal("the tensors to be replaced are not constants of it");
    }
    NS_RETURN_IF_ERROR(SetConstants(variant.constants, *copy.subgraph.base));
    if (variant.weights) {
      NS_RETURN_IF_ERROR(QuantizeWeights(*variant.weights, copy));
    }
    return copy;
  });
}

absl::StatusOr<CopiedSubgraph> InsertVariant(
    ModelGraph& host, const Subgraph& subgraph, const Value& output,
    Node* place, const LayerVariant& variant,
    const ValueCounterparts& counterparts) {
  return InsertVariant(host, subgraph, output, DataInputsOf(subgraph), host,
                       place, variant, counterparts);
}

}  // namespace ns
