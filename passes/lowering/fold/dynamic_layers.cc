#include "passes/lowering/fold/dynamic_layers.h"

#include <torch/csrc/jit/ir/ir.h>

#include <optional>

#include "ir/base/status.h"
#include "ir/graph/insert_op.h"
#include "ir/graph/node_view.h"
#include "passes/lowering/fold/reference_layers.h"
#include "passes/rewrite/packed_embedding.h"
#include "passes/rewrite/prepack.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;

}  // namespace

std::optional<DynamicInput> DynamicInputOf(const Value& input) {
  const Node& dequantize = *input.node();
  if (dequantize.kind() != c10::aten::dequantize) {
    return std::nullopt;
  }
  const Node& quantize = *dequantize.input(0)->node();
  if (ConstantDtype(quantize) != c10::kQUInt8) {
    return std::nullopt;
  }
  if (quantize.kind() == c10::aten::quantize_per_tensor_dynamic) {
    return DynamicInput{InputNamed(quantize, "self"),
                        InputNamed(quantize, "reduce_range")};
  }
  if (quantize.kind() != c10::aten::quantize_per_tensor ||
      !IsTensor(*quantize.input(0))) {
    return std::nullopt;
  }
  const Node& choose = *quantize.input(1)->node();
  const bool is_chosen =
      choose.kind() == c10::aten::_choose_qparams_per_tensor &&
      quantize.input(1) == choose.output(0) &&
      quantize.input(2) == choose.output(1) &&
      quantize.input(0) == choose.input(0);
  return is_chosen ? std::optional<DynamicInput>(
                         DynamicInput{InputNamed(choose, "self"),
                                      InputNamed(choose, "reduce_range")})
                   : std::nullopt;
}

absl::StatusOr<Value*> InsertDynamicLinear(Node* node,
                                           const DynamicInput& input) {
  NS_ASSIGN_OR_RETURN(const PackedLayer layer, PackLinear(*node));
  Value* packed = node->owningGraph()->insertConstant(layer.parameters);
  return InsertOp(*node->owningGraph(), "quantized::linear_dynamic",
                  {input.tensor, packed, input.reduce_range});
}

absl::StatusOr<Value*> InsertReferenceEmbedding(Node* node) {
  NS_RETURN_IF_ERROR(CheckPackedEmbedding(*node));
  NS_ASSIGN_OR_RETURN(const at::Tensor table,
                      ConstantQuantized(*InputNamed(*node, "weight")));
  NS_ASSIGN_OR_RETURN(const c10::IValue packed, PrepackEmbedding(table));
  return InsertPackedEmbedding(*node, table,
                               *node->owningGraph()->insertConstant(packed));
}

}  // namespace ns
