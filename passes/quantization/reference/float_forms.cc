#include "passes/quantization/reference/float_forms.h"

#include <ATen/core/Tensor.h>
#include <c10/util/Exception.h>
#include <torch/csrc/jit/ir/ir.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/types/span.h"
#include "ir/base/refusal.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ir/graph/insert_op.h"
#include "ir/graph/node_view.h"
#include "passes/analysis/compute_arguments.h"
#include "passes/analysis/packed_layers.h"
#include "passes/analysis/packed_weights.h"
#include "passes/ops/op_table.h"
#include "passes/runtime/dtype_casts.h"

namespace ns {
namespace {

using ::torch::jit::NamedValue;
using ::torch::jit::Node;
using ::torch::jit::Value;

// The mode of aten::embedding_bag that adds up rows: quantized kernels have no
// other.
constexpr int64_t kSum = 0;

// Inserts `op`, and returns its first output.
absl::StatusOr<Value*> Insert(Node* node, absl::string_view op,
                              absl::Span<const NamedValue> arguments,
                              absl::Span<const NamedValue> named = {}) {
  NS_ASSIGN_OR_RETURN(Value * output,
                      InsertOp(*node->owningGraph(), op, arguments, named));
  if (output->node()->kind() != c10::prim::TupleConstruct) {
    return output;
  }
  Node* tuple = output->node();
  output = tuple->input(0);
  tuple->destroy();
  return output;
}

absl::StatusOr<Value*> AsFloatInput(Node* node, Value* input) {
  const std::optional<c10::IValue> constant = ConstantOf(*input);
  if (constant && constant->isTensor() && constant->toTensor().defined()) {
    NS_ASSIGN_OR_RETURN(const at::Tensor value, CatchTorchErrors([&] {
                          return AsFloat(constant->toTensor());
                        }));
    return value.is_same(constant->toTensor())
               ? input
               : node->owningGraph()->insertConstant(value.detach());
  }
  if (IsTensor(*input) || IsTensorList(*input)) {
    return Insert(node, "ns::as_float", {input});
  }
  return input;
}

// Returns the first input of `node` in float. For a dynamic op it is quantized
// and dequantized first, as the op's kernel quantizes it.
absl::StatusOr<Value*> Activation(Node* node) {
  Value* input = node->input(0);
  const OpRow* row = FindOp(OpName(*node));
  if (row != nullptr && row->numerics == Numerics::kDynamic) {
    NS_ASSIGN_OR_RETURN(input,
                        Insert(node, "ns::quantize_dynamic",
                               {input, InputNamed(*node, "reduce_range")}));
  }
  return AsFloatInput(node, input);
}

absl::StatusOr<c10::IValue> PackedInput(const Node& node, size_t index) {
  std::optional<c10::IValue> packed = ConstantOf(*node.input(index));
  if (!packed) {
    return Refusal("its packed parameters are not constant");
  }
  return *std::move(packed);
}

c10::IValue TensorOrNone(const at::Tensor& tensor) {
  return tensor.defined() ? c10::IValue(tensor) : c10::IValue();
}

absl::StatusOr<ComputeArguments> SameArguments(Node* node) {
  return ComputeArgumentsOf(*node, [&](size_t index) {
    return AsFloatInput(node, node->input(index));
  });
}

absl::StatusOr<ConvLayer> ConvLayerOf(const Node& node,
                                      absl::string_view float_op) {
  NS_ASSIGN_OR_RETURN(const c10::IValue packed, PackedInput(node, 1));
  return UnpackConv(packed, /*is_1d=*/absl::EndsWith(float_op, "1d"));
}

// The bags that a matrix of indices has in its rows: the indices of all bags,
// and the offset of each.
struct Bags {
  Value* indices;
  Value* offsets;
};

absl::StatusOr<Bags> BagsOfRows(Node* node, Value* indices) {
  Value* begin = node->owningGraph()->insertConstant(int64_t{0});
  NS_ASSIGN_OR_RETURN(Value * end, Insert(node, "aten::numel", {indices}));
  NS_ASSIGN_OR_RETURN(Value * step,
                      Insert(node, "aten::size", {indices, int64_t{1}}));
  Bags bags;
  NS_ASSIGN_OR_RETURN(bags.indices, Insert(node, "aten::flatten", {indices}));
  NS_ASSIGN_OR_RETURN(bags.offsets,
                      Insert(node, "aten::arange", {begin, end, step}));
  return bags;
}

// Returns the table of an embedding in float.
absl::StatusOr<at::Tensor> TableOf(const Node& node) {
  NS_ASSIGN_OR_RETURN(const c10::IValue packed, PackedInput(node, 0));
  NS_ASSIGN_OR_RETURN(const at::Tensor weight, PackedEmbeddingWeight(packed));
  return CatchTorchErrors([&] { return AsFloat(weight).detach(); });
}

absl::StatusOr<Value*> InsertSameOp(Node* node, absl::string_view float_op) {
  std::vector<Value*> inputs;
  for (Value* input : node->inputs()) {
    NS_ASSIGN_OR_RETURN(Value * as_float, AsFloatInput(node, input));
    inputs.push_back(as_float);
  }
  torch::jit::Graph& graph = *node->owningGraph();
  Node* copy = graph.create(c10::Symbol::fromQualString(std::string(float_op)),
                            inputs, node->outputs().size());
  for (size_t i = 0; i < node->outputs().size(); ++i) {
    copy->output(i)->setType(node->output(i)->type());
  }
  NS_ASSIGN_OR_RETURN(copy, InsertNode(copy));
  return TensorOutput(*copy);
}

absl::StatusOr<Value*> InsertSameArguments(Node* node,
                                           absl::string_view float_op) {
  NS_ASSIGN_OR_RETURN(const ComputeArguments arguments, SameArguments(node));
  return Insert(node, float_op, arguments.in_order, arguments.named);
}

absl::StatusOr<Value*> InsertCommutative(Node* node,
                                         absl::string_view float_op) {
  NS_ASSIGN_OR_RETURN(ComputeArguments arguments, SameArguments(node));
  std::vector<NamedValue>& operands = arguments.in_order;
  if (!IsTensor(*node->input(0))) {
    std::swap(operands.at(0), operands.at(1));
  }
  return Insert(node, float_op, operands);
}

absl::StatusOr<Value*> InsertBatchNorm(Node* node, absl::string_view float_op) {
  NS_ASSIGN_OR_RETURN(Value * x, Activation(node));
  return Insert(node, float_op,
                {x, InputNamed(*node, "weight"), InputNamed(*node, "bias"),
                 InputNamed(*node, "mean"), InputNamed(*node, "var"),
                 /*training=*/false,
                 /*momentum=*/0.0, InputNamed(*node, "eps"),
                 /*cudnn_enabled=*/false});
}

absl::StatusOr<Value*> InsertInstanceNorm(Node* node,
                                          absl::string_view float_op) {
  NS_ASSIGN_OR_RETURN(Value * x, Activation(node));
  return Insert(
      node, float_op,
      {x, InputNamed(*node, "weight"), InputNamed(*node, "bias"),
       /*running_mean=*/c10::IValue(), /*running_var=*/c10::IValue(),
       /*use_input_stats=*/true, /*momentum=*/0.0, InputNamed(*node, "eps"),
       /*cudnn_enabled=*/false});
}

absl::StatusOr<Value*> InsertLinear(Node* node, absl::string_view float_op) {
  NS_ASSIGN_OR_RETURN(const c10::IValue packed, PackedInput(*node, 1));
  NS_ASSIGN_OR_RETURN(const LinearLayer layer, UnpackLinear(packed));
  NS_ASSIGN_OR_RETURN(Value * x, Activation(node));
  return Insert(node, float_op, {x, layer.weight, TensorOrNone(layer.bias)});
}

absl::StatusOr<Value*> InsertConv(Node* node, absl::string_view float_op) {
  NS_ASSIGN_OR_RETURN(const ConvLayer layer, ConvLayerOf(*node, float_op));
  NS_ASSIGN_OR_RETURN(Value * x, Activation(node));
  return Insert(node, float_op,
                {x, layer.weight, TensorOrNone(layer.bias), layer.stride,
                 layer.padding, layer.dilation, layer.groups});
}

absl::StatusOr<Value*> InsertConvTranspose(Node* node,
                                           absl::string_view float_op) {
  NS_ASSIGN_OR_RETURN(const ConvLayer layer, ConvLayerOf(*node, float_op));
  NS_ASSIGN_OR_RETURN(Value * x, Activation(node));
  return Insert(
      node, float_op,
      {x, layer.weight, TensorOrNone(layer.bias), layer.stride, layer.padding,
       layer.output_padding, layer.groups, layer.dilation});
}

absl::StatusOr<Value*> InsertEmbedding(Node* node, absl::string_view float_op) {
  NS_ASSIGN_OR_RETURN(const at::Tensor table, TableOf(*node));
  return Insert(node, float_op, {table, InputNamed(*node, "indices")});
}

absl::StatusOr<Value*> InsertEmbeddingBag(Node* node,
                                          absl::string_view float_op) {
  NS_ASSIGN_OR_RETURN(const at::Tensor table, TableOf(*node));
  const Value* mapping = InputNamed(*node, "compressed_indices_mapping");
  if (mapping != nullptr && !mapping->mustBeNone()) {
    return Refusal("embedding bags with pruned rows have no reference kernel");
  }
  Value* samples = InputNamed(*node, "per_sample_weights");
  Bags bags = {InputNamed(*node, "indices"), InputNamed(*node, "offsets")};
  if (bags.offsets->mustBeNone()) {
    NS_ASSIGN_OR_RETURN(bags, BagsOfRows(node, bags.indices));
    if (IsTensor(*samples)) {
      NS_ASSIGN_OR_RETURN(samples, Insert(node, "aten::flatten", {samples}));
    }
  } else if (!IsTensor(*bags.offsets)) {
    return Refusal("only a run tells whether it has offsets");
  }
  return Insert(
      node, float_op,
      {table, bags.indices, bags.offsets, /*scale_grad_by_freq=*/false, kSum,
       /*sparse=*/false, samples, InputNamed(*node, "include_last_offset")});
}

}  // namespace

absl::StatusOr<Value*> InsertInFloat(ReferenceForm form, Node* node,
                                     absl::string_view float_op) {
  switch (form) {
    case ReferenceForm::kSameOp:
      return InsertSameOp(node, float_op);
    case ReferenceForm::kSameArguments:
      return InsertSameArguments(node, float_op);
    case ReferenceForm::kCommutative:
      return InsertCommutative(node, float_op);
    case ReferenceForm::kBatchNorm:
      return InsertBatchNorm(node, float_op);
    case ReferenceForm::kInstanceNorm:
      return InsertInstanceNorm(node, float_op);
    case ReferenceForm::kLinear:
      return InsertLinear(node, float_op);
    case ReferenceForm::kConv:
      return InsertConv(node, float_op);
    case ReferenceForm::kConvTranspose:
      return InsertConvTranspose(node, float_op);
    case ReferenceForm::kEmbedding:
      return InsertEmbedding(node, float_op);
    case ReferenceForm::kEmbeddingBag:
      return InsertEmbeddingBag(node, float_op);
    case ReferenceForm::kOnlyQuantizes:
    case ReferenceForm::kHandsOn:
    case ReferenceForm::kRecurrent:
    case ReferenceForm::kLayerWithSum:
    case ReferenceForm::kRawTable:
      break;
  }
  TORCH_INTERNAL_ASSERT(false, OpName(*node), " has no reference");
}

}  // namespace ns
