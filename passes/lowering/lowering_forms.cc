#include "passes/lowering/lowering_forms.h"

#include <c10/util/Exception.h>
#include <torch/csrc/jit/ir/ir.h>

#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/types/span.h"
#include "ir/aliasing/data_inputs.h"
#include "ir/base/refusal.h"
#include "ir/base/status.h"
#include "ir/graph/constant_argument.h"
#include "ir/graph/insert_op.h"
#include "ir/graph/node_view.h"
#include "passes/ops/op_table.h"

namespace ns {
namespace {

using ::torch::jit::NamedValue;
using ::torch::jit::Node;
using ::torch::jit::Value;

absl::StatusOr<Value*> Insert(Node* node, absl::string_view op,
                              absl::Span<const NamedValue> arguments) {
  return InsertOp(*node->owningGraph(), op, arguments);
}

std::vector<NamedValue> Arguments(Node* node) {
  // With braces, iterators would become a list of two bools.
  return std::vector<NamedValue>(node->inputs().begin(), node->inputs().end());
}

absl::StatusOr<c10::IValue> PackedInput(const Node& node, size_t index) {
  const std::optional<c10::IValue> packed = ConstantOf(*node.input(index));
  if (!packed) {
    return Refusal("its packed parameters are not constant");
  }
  return *packed;
}

// Returns `layer`, the result of a Repacker, with its error as a refusal.
absl::StatusOr<c10::IValue> Repacked(absl::StatusOr<c10::IValue> layer) {
  NS_RETURN_IF_ERROR(
      RefusalOf("its packed parameters cannot be repacked", layer.status()));
  return layer;
}

// Inserts `op` with the arguments of `node`, but `layer` as the second one.
absl::StatusOr<Value*> InsertWithLayer(Node* node, absl::string_view op,
                                       const c10::IValue& layer) {
  std::vector<NamedValue> arguments = Arguments(node);
  arguments.at(1) = NamedValue(node->owningGraph()->insertConstant(layer));
  return Insert(node, op, arguments);
}

absl::StatusOr<c10::IValue> WholeTable(Node* node, Repacker& repacker) {
  const auto is_pruned = ConstantArgument(*node, "pruned_weights");
  if (!is_pruned || !is_pruned->isBool() || is_pruned->toBool()) {
    return Refusal("its table may have pruned rows");
  }
  NS_ASSIGN_OR_RETURN(const c10::IValue packed, PackedInput(*node, 0));
  return Repacked(repacker.Embedding(packed));
}

// Returns a refusal when the graph tells that `x` is not quantized to quint8
// with one scale.
absl::Status CheckIsQuint8(const Value& x, const ValueFacts& facts) {
  const TensorFacts sure = facts.Sure(x);
  if (sure.is_quantized.Differs() ||
      (sure.is_quantized.Is(true) &&
       (sure.dtype.Differs() || sure.is_per_tensor.Differs()))) {
    return Refusal("its input is quantized to quint8 on some ways to it only");
  }
  const TensorFacts likely = facts.Likely(x);
  const bool is_other =
      likely.is_quantized.Is(true) &&
      (likely.is_per_tensor.Is(false) || !likely.dtype.Is(c10::kQUInt8));
  return is_other
             ? Refusal("its input is not quantized to quint8 with one scale")
             : absl::OkStatus();
}

// Does the same as CheckIsQuint8 for the input of an op that also takes tensors
// that are not quantized: a refusal unless the graph tells that it is
// quantized.
absl::Status CheckTakesQuantized(const Node& node, const ValueFacts& facts) {
  const Value* x = FirstDataInput(node);
  if (x == nullptr || !IsTensor(*x)) {
    return Refusal("it takes no tensor");
  }
  NS_RETURN_IF_ERROR(CheckIsQuint8(*x, facts));
  return facts.IsSurelyQuantized(*x) || facts.TakerOfQuantized(*x) != nullptr
             ? absl::OkStatus()
             : Refusal("its input is not quantized");
}

// Whether the op that gives `value` allocates it: nothing else then shares its
// memory, as long as nothing else uses it. Dropout returns its input when it
// does nothing.
bool IsFresh(const Value& value) {
  const Node& node = *value.node();
  const OpRow* row = FindOp(OpName(node));
  return row != nullptr && !WorksInPlace(node) && row->family != "dropout" &&
         (row->role == Role::kCompute || row->role == Role::kQuantize ||
          row->role == Role::kDequantize);
}

// Returns a refusal when `node` works in place and something else may see what
// it writes: ns ops allocate their outputs instead.
absl::Status CheckNobodySeesWrites(Node* node) {
  if (WorksInPlace(*node) &&
      (OnlyUser(*node->input(0)) != node || !IsFresh(*node->input(0)))) {
    return Refusal("it works in place, and others may see what it writes to");
  }
  return absl::OkStatus();
}

// Returns `value` or, when it is a constant tensor of one element, as tracing
// makes them, the number in it. Nothing for other tensors.
std::optional<NamedValue> Number(Value* value) {
  if (!IsTensor(*value)) {
    return NamedValue(value);
  }
  const std::optional<c10::IValue> constant = ConstantOf(*value);
  if (!constant || !constant->isTensor() || constant->toTensor().numel() != 1) {
    return std::nullopt;
  }
  const at::Scalar number = constant->toTensor().item();
  if (number.isFloatingPoint()) {
    return NamedValue(number.toDouble());
  }
  return number.isIntegral(/*includeBool=*/false)
             ? std::make_optional<NamedValue>(number.toLong())
             : std::nullopt;
}

absl::StatusOr<Value*> LowerSameArguments(Node* node,
                                          absl::string_view lowered_op,
                                          const LoweringTools& tools) {
  if (const Value* x = FirstDataInput(*node)) {
    NS_RETURN_IF_ERROR(CheckIsQuint8(*x, tools.facts));
  }
  return Insert(node, lowered_op, Arguments(node));
}

absl::StatusOr<Value*> LowerTwoTensors(Node* node, absl::string_view lowered_op,
                                       const LoweringTools& tools) {
  if (!IsTensor(*node->input(0)) || !IsTensor(*node->input(1))) {
    return Refusal("one of its inputs is a number");
  }
  return LowerSameArguments(node, lowered_op, tools);
}

absl::StatusOr<Value*> LowerLinear(Node* node, absl::string_view lowered_op,
                                   const LoweringTools& tools) {
  NS_ASSIGN_OR_RETURN(const c10::IValue packed, PackedInput(*node, 1));
  NS_ASSIGN_OR_RETURN(const c10::IValue layer,
                      Repacked(tools.repacker.Linear(packed)));
  const OpRow* row = FindOp(OpName(*node));
  if (row == nullptr || row->numerics != Numerics::kDynamic ||
      !tools.round_as_onednn) {
    return InsertWithLayer(node, lowered_op, layer);
  }
  return Insert(
      node, lowered_op,
      {node->input(0), layer, InputNamed(*node, "reduce_range"), true});
}

absl::StatusOr<Value*> LowerConv(Node* node, absl::string_view lowered_op,
                                 Repacker& repacker) {
  NS_ASSIGN_OR_RETURN(const c10::IValue packed, PackedInput(*node, 1));
  const OpRow* row = FindOp(OpName(*node));
  const bool is_1d = row != nullptr && absl::EndsWith(row->family, "1d");
  NS_ASSIGN_OR_RETURN(const c10::IValue layer,
                      Repacked(repacker.Conv(packed, is_1d)));
  return InsertWithLayer(node, lowered_op, layer);
}

absl::StatusOr<Value*> LowerEmbedding(Node* node, absl::string_view lowered_op,
                                      Repacker& repacker) {
  NS_ASSIGN_OR_RETURN(const c10::IValue table, WholeTable(node, repacker));
  return Insert(node, lowered_op, {table, InputNamed(*node, "indices")});
}

absl::StatusOr<Value*> LowerEmbeddingBag(Node* node,
                                         absl::string_view lowered_op,
                                         Repacker& repacker) {
  const Value* mapping = InputNamed(*node, "compressed_indices_mapping");
  if (mapping != nullptr && !mapping->mustBeNone()) {
    return Refusal("its table may have pruned rows");
  }
  NS_ASSIGN_OR_RETURN(const c10::IValue table, WholeTable(node, repacker));
  return Insert(
      node, lowered_op,
      {table, InputNamed(*node, "indices"), InputNamed(*node, "offsets"),
       InputNamed(*node, "per_sample_weights"),
       InputNamed(*node, "include_last_offset")});
}

absl::StatusOr<Value*> LowerOnQuantized(Node* node,
                                        absl::string_view lowered_op,
                                        const LoweringTools& tools) {
  NS_RETURN_IF_ERROR(CheckTakesQuantized(*node, tools.facts));
  NS_RETURN_IF_ERROR(CheckNobodySeesWrites(node));
  return Insert(node, lowered_op, Arguments(node));
}

absl::StatusOr<Value*> LowerMean(Node* node, absl::string_view lowered_op,
                                 const LoweringTools& tools) {
  NS_RETURN_IF_ERROR(CheckTakesQuantized(*node, tools.facts));
  const Value* dtype = InputNamed(*node, "dtype");
  if (dtype != nullptr && !dtype->mustBeNone()) {
    return Refusal("it asks for a type");
  }
  if (InputNamed(*node, "out") != nullptr) {
    return Refusal("it writes to a tensor it is given");
  }
  Value* dimensions = InputNamed(*node, "dim");
  if (dimensions == nullptr) {
    return Insert(node, lowered_op, {node->input(0), c10::IValue()});
  }
  return Insert(node, lowered_op,
                {node->input(0), dimensions, InputNamed(*node, "keepdim")});
}

absl::StatusOr<Value*> LowerCatOfQuantized(Node* node,
                                           absl::string_view lowered_op,
                                           const LoweringTools& tools) {
  NS_RETURN_IF_ERROR(CheckTakesQuantized(*node, tools.facts));
  return Insert(node, lowered_op,
                {node->input(0), node->input(1), c10::IValue(), c10::IValue()});
}

absl::StatusOr<Value*> LowerRelu6(Node* node, absl::string_view lowered_op,
                                  const LoweringTools& tools) {
  NS_RETURN_IF_ERROR(CheckTakesQuantized(*node, tools.facts));
  NS_RETURN_IF_ERROR(CheckNobodySeesWrites(node));
  return Insert(node, lowered_op, {node->input(0), 0.0, 6.0});
}

absl::StatusOr<Value*> LowerFixedRange(Node* node, absl::string_view lowered_op,
                                       const LoweringTools& tools) {
  NS_RETURN_IF_ERROR(CheckTakesQuantized(*node, tools.facts));
  NS_RETURN_IF_ERROR(CheckNobodySeesWrites(node));
  const QuantizedRange* range = FixedRangeOf(*FindOp(OpName(*node)));
  TORCH_INTERNAL_ASSERT(range != nullptr, OpName(*node));
  std::vector<NamedValue> arguments = Arguments(node);
  arguments.emplace_back(range->scale);
  arguments.emplace_back(range->zero_point);
  return Insert(node, lowered_op, arguments);
}

absl::StatusOr<Value*> LowerQuantize(Node* node, absl::string_view lowered_op) {
  if (ConstantDtype(*node) != c10::ScalarType::QUInt8) {
    return Refusal("it does not quantize to quint8");
  }
  if (!IsTensor(*node->input(0))) {
    return Refusal("it quantizes a list");
  }
  const std::optional<NamedValue> scale = Number(node->input(1));
  const std::optional<NamedValue> zero_point = Number(node->input(2));
  if (!scale || !zero_point) {
    return Refusal(
        "its scale and zero point are tensors that only a run tells");
  }
  return Insert(node, lowered_op, {node->input(0), *scale, *zero_point});
}

absl::StatusOr<Value*> LowerDequantize(Node* node, absl::string_view lowered_op,
                                       const LoweringTools& tools) {
  NS_RETURN_IF_ERROR(CheckTakesQuantized(*node, tools.facts));
  return Insert(node, lowered_op, Arguments(node));
}

}  // namespace

absl::StatusOr<Value*> InsertLowered(LoweringForm form, Node* node,
                                     absl::string_view lowered_op,
                                     const LoweringTools& tools) {
  switch (form) {
    case LoweringForm::kSameArguments:
      return LowerSameArguments(node, lowered_op, tools);
    case LoweringForm::kTwoTensors:
      return LowerTwoTensors(node, lowered_op, tools);
    case LoweringForm::kLinear:
      return LowerLinear(node, lowered_op, tools);
    case LoweringForm::kConv:
      return LowerConv(node, lowered_op, tools.repacker);
    case LoweringForm::kEmbedding:
      return LowerEmbedding(node, lowered_op, tools.repacker);
    case LoweringForm::kEmbeddingBag:
      return LowerEmbeddingBag(node, lowered_op, tools.repacker);
    case LoweringForm::kQuantize:
      return LowerQuantize(node, lowered_op);
    case LoweringForm::kDequantize:
      return LowerDequantize(node, lowered_op, tools);
    case LoweringForm::kOnQuantized:
      return LowerOnQuantized(node, lowered_op, tools);
    case LoweringForm::kFixedRange:
      return LowerFixedRange(node, lowered_op, tools);
    case LoweringForm::kMean:
      return LowerMean(node, lowered_op, tools);
    case LoweringForm::kCat:
      return LowerCatOfQuantized(node, lowered_op, tools);
    case LoweringForm::kRelu6:
      return LowerRelu6(node, lowered_op, tools);
    case LoweringForm::kNoKernel:
    case LoweringForm::kHalfWeight:
    case LoweringForm::kRecurrent:
    case LoweringForm::kPerChannel:
      break;
  }
  TORCH_INTERNAL_ASSERT(false, "no kernel takes the place of ", OpName(*node));
}

}  // namespace ns
