#include "passes/analysis/held_codes.h"

#include <ATen/core/Tensor.h>
#include <torch/csrc/jit/ir/ir.h>

#include <optional>

#include "absl/container/flat_hash_set.h"
#include "ir/node_view.h"
#include "passes/ops/op_table.h"

namespace ns {
namespace {

using ::torch::jit::Block;
using ::torch::jit::Node;
using ::torch::jit::Value;

// Nothing for what leads to no source that was not seen before.
using Found = std::optional<Held>;

Found Join(Found a, Found b) {
  if (!a || !b) {
    return a ? a : b;
  }
  if (*a == *b) {
    return a;
  }
  const bool is_unknown = *a == Held::kUnknown || *b == Held::kUnknown;
  return is_unknown ? Held::kUnknown : Held::kMixed;
}

Held HeldByConstant(const c10::IValue& constant) {
  if (!constant.isTensor() || !constant.toTensor().defined() ||
      !constant.toTensor().is_quantized()) {
    return Held::kFloat;
  }
  const at::Tensor& tensor = constant.toTensor();
  return tensor.scalar_type() == at::kQUInt8 &&
                 tensor.qscheme() == at::kPerTensorAffine
             ? Held::kQuint8
             : Held::kOtherCodes;
}

// Of an op that quantizes floats.
Held HeldByQuantize(const Node& node, const OpRow& row) {
  if (IsLoweredOp(row.op)) {
    return Held::kQuint8;
  }
  if (row.op == "aten::quantize_per_channel") {
    return Held::kOtherCodes;
  }
  const std::optional<c10::ScalarType> dtype = ConstantDtype(node);
  return !dtype                              ? Held::kCodes
         : *dtype == c10::ScalarType::QUInt8 ? Held::kQuint8
                                             : Held::kOtherCodes;
}

// Casts to quantized types are an error.
bool CastsToFloat(const Node& node) {
  return node.kind() == c10::aten::to && ConstantDtype(node);
}

// True for layers of packed parameters.
bool HasPackedWeights(const OpRow& row) {
  return row.weight_form != WeightForm::kNone &&
         row.weight_form != WeightForm::kTensor;
}

// Follows a value to the ops that decide.
class Search {
 public:
  Found Of(const Value& value) {
    constexpr size_t kMostValues = 1000;
    if (seen_.size() >= kMostValues) {
      return Held::kUnknown;
    }
    if (!seen_.insert(&value).second) {
      return std::nullopt;
    }
    if (const std::optional<c10::IValue> constant = ConstantOf(value)) {
      return HeldByConstant(*constant);
    }
    const Node& node = *value.node();
    switch (node.kind()) {
      case c10::prim::Param:
        return OfParameter(node, value.offset());
      case c10::prim::If:
        return OfIf(node, value.offset());
      case c10::prim::Loop:
        return OfLoop(node, value.offset());
      case c10::prim::Uninitialized:
        // An arm that raises an exception gives nothing.
        return std::nullopt;
      default:
        return OfOp(node);
    }
  }

 private:
  Found OfParameter(const Node& parameters, size_t index) {
    const Node* owner = parameters.owningBlock()->owningNode();
    // The first parameter of a loop's body counts the trips.
    return owner != nullptr && owner->kind() == c10::prim::Loop && index > 0
               ? OfLoop(*owner, index - 1)
               : Held::kUnknown;
  }

  Found OfIf(const Node& node, size_t index) {
    Found found;
    for (const Block* arm : node.blocks()) {
      found = Join(found, Of(*arm->outputs()[index]));
    }
    return found;
  }

  // Of the carried value `index`.
  Found OfLoop(const Node& node, size_t index) {
    const Found first = Of(*node.input(index + 2));
    return Join(first, Of(*node.blocks()[0]->outputs()[index + 1]));
  }

  Found OfOp(const Node& node) {
    const OpRow* row = FindOp(OpName(node));
    if (row == nullptr) {
      return Held::kUnknown;
    }
    if (row->role == Role::kQuantize) {
      return HeldByQuantize(node, *row);
    }
    const bool is_int8 = row->numerics == Numerics::kInt8;
    if (row->role == Role::kDequantize || CastsToFloat(node) ||
        row->weight_form == WeightForm::kPackedEmbedding ||
        !(is_int8 || row->numerics == Numerics::kEither)) {
      return Held::kFloat;
    }
    if (is_int8 && (HasPackedWeights(*row) || IsLoweredOp(row->op))) {
      return Held::kQuint8;
    }
    const Value* input = FirstDataInput(node);
    const Found of_input = input == nullptr ? Held::kUnknown : Of(*input);
    return is_int8 && of_input == Held::kUnknown ? Held::kCodes : of_input;
  }

  absl::flat_hash_set<const Value*> seen_;
};

}  // namespace

Held HeldBy(const Value& value) {
  return Search().Of(value).value_or(Held::kUnknown);
}

}  // namespace ns
