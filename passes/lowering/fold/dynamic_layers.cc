#include "passes/lowering/fold/dynamic_layers.h"

#include <torch/csrc/jit/ir/ir.h>

#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "ir/insert_op.h"
#include "ir/node_view.h"
#include "ir/refusal.h"
#include "ir/status.h"
#include "passes/lowering/fold/reference_layers.h"

namespace ns {
namespace {

using ::torch::jit::NamedValue;
using ::torch::jit::Node;
using ::torch::jit::Value;

// Inserts quantized::`op`: "linear_dynamic" for quantized::linear_dynamic.
absl::StatusOr<Value*> Insert(Node* node, absl::string_view op,
                              absl::Span<const NamedValue> arguments) {
  return InsertOp(*node->owningGraph(), absl::StrCat("quantized::", op),
                  arguments);
}

bool IsConstantInt(const Value* value, int64_t expected) {
  const auto constant = value == nullptr ? std::nullopt : ConstantOf(*value);
  return constant && constant->isInt() && constant->toInt() == expected;
}

// Returns a refusal when the quantized op cannot take the place of `node`, an
// aten::embedding_bag.
absl::Status CheckBag(const Node& node) {
  for (size_t i = 1; i < node.outputs().size(); ++i) {
    if (!node.output(i)->uses().empty()) {
      return Refusal("more than its first output is used");
    }
  }
  constexpr int64_t kSum = 0;
  if (!IsConstantInt(InputNamed(node, "mode"), kSum)) {
    return Refusal("it does not add up its rows");
  }
  const Value* padding = InputNamed(node, "padding_idx");
  const bool has_none =
      padding == nullptr || padding->mustBeNone() || IsConstantInt(padding, -1);
  return has_none ? absl::OkStatus() : Refusal("it leaves out a row");
}

// Whether `indices` may have `first` to `last` dimensions. The kernel of
// quantized embeddings shapes its output by this number.
bool MayHaveRank(const Value& indices, size_t first, size_t last) {
  const auto type = indices.type()->cast<c10::TensorType>();
  return !type || !type->dim() ||
         (*type->dim() >= first && *type->dim() <= last);
}

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
  return Insert(node, absl::StrCat(layer.op, "_dynamic"),
                {input.tensor, packed, input.reduce_range});
}

absl::StatusOr<Value*> InsertPackedEmbedding(Node* node) {
  const bool is_bag = node->kind() != c10::aten::embedding;
  Value* indices = InputNamed(*node, "indices");
  if (is_bag) {
    NS_RETURN_IF_ERROR(CheckBag(*node));
  }
  if (!MayHaveRank(*indices, 1, 2)) {
    return Refusal("its kernel takes indices with one or two dimensions");
  }
  NS_ASSIGN_OR_RETURN(const PackedLayer layer, PackEmbedding(*node));
  Value* packed = node->owningGraph()->insertConstant(layer.parameters);
  if (!is_bag) {
    return Insert(node, layer.op, {packed, indices, /*pruned_weights=*/false});
  }
  return Insert(
      node, layer.op,
      {packed, indices, InputNamed(*node, "offsets"),
       InputNamed(*node, "scale_grad_by_freq"), InputNamed(*node, "mode"),
       /*pruned_weights=*/false, InputNamed(*node, "per_sample_weights"),
       /*compressed_indices_mapping=*/c10::IValue(),
       InputNamed(*node, "include_last_offset")});
}

}  // namespace ns
