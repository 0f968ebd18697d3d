#include "passes/analysis/node_weights.h"

#include <ATen/core/ivalue.h>
#include <torch/csrc/jit/ir/ir.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "ir/node_view.h"
#include "ir/status.h"
#include "ir/torch_errors.h"
#include "passes/analysis/packed_weights.h"
#include "passes/ops/op_table.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;
namespace prim = ::c10::prim;

// Returns the value that `value` comes from, through observers, fake
// quantization and casts.
const Value* Uncast(const Value* value) {
  for (;;) {
    const Node* node = value->node();
    const OpRow* row = FindOp(OpName(*node));
    const bool passes_on =
        row != nullptr && !node->inputs().empty() &&
        IsTensor(*node->input(0)) &&
        (row->role == Role::kObserve || row->role == Role::kDequantize ||
         row->role == Role::kQuantize || row->op == "aten::to" ||
         row->op == "aten::detach");
    if (!passes_on) {
      return value;
    }
    value = node->input(0);
  }
}

std::optional<at::Tensor> ConstantTensor(const Value* value) {
  const std::optional<c10::IValue> constant = ConstantOf(*Uncast(value));
  if (!constant || !constant->isTensor() || !constant->toTensor().defined()) {
    return std::nullopt;
  }
  return constant->toTensor();
}

// Returns the elements of a constant list. The list is one constant, or is
// built from constants, perhaps element by element.
std::vector<c10::IValue> ConstantList(const Value* value) {
  std::vector<c10::IValue> elements;
  if (value == nullptr) {
    return elements;
  }
  if (const std::optional<c10::IValue> constant = ConstantOf(*value)) {
    if (constant->isList()) {
      for (const c10::IValue& element : constant->toListRef()) {
        elements.push_back(element);
      }
    }
    return elements;
  }
  if (value->node()->kind() != prim::ListConstruct) {
    return elements;
  }
  const auto append = [&](const Value* element) {
    if (const auto constant = ConstantOf(*Uncast(element))) {
      elements.push_back(*constant);
    }
  };
  for (const Value* element : value->node()->inputs()) {
    append(element);
  }
  for (const torch::jit::Use& use : value->uses()) {
    if (use.user->kind() == c10::aten::append && use.offset == 0) {
      append(use.user->input(1));
    }
  }
  return elements;
}

bool ConstantFlag(const Node& node, absl::string_view name) {
  const Value* value = InputNamed(node, name);
  const std::optional<c10::IValue> flag =
      value == nullptr ? std::nullopt : ConstantOf(*value);
  return flag && flag->isBool() && flag->toBool();
}

int64_t ConstantInt(const Node& node, absl::string_view name,
                    int64_t otherwise) {
  const Value* value = InputNamed(node, name);
  const std::optional<c10::IValue> number =
      value == nullptr ? std::nullopt : ConstantOf(*value);
  return number && number->isInt() ? number->toInt() : otherwise;
}

// Returns the weights of an aten::lstm, aten::gru, ... Its parameter list
// holds, cell by cell, w_ih, w_hh, then the biases if there are any, then a
// projection.
std::vector<NamedTensor> RecurrentWeights(const Node& node) {
  const std::vector<c10::IValue> parameters =
      ConstantList(InputNamed(node, "params"));
  const bool bidirectional = ConstantFlag(node, "bidirectional");
  const size_t cells =
      ConstantInt(node, "num_layers", 1) * (bidirectional ? 2 : 1);
  std::vector<NamedTensor> weights;
  if (cells == 0 || parameters.size() % cells != 0 ||
      parameters.size() < 2 * cells) {
    return weights;
  }
  const size_t stride = parameters.size() / cells;
  const size_t projection = ConstantFlag(node, "has_biases") ? 4 : 2;
  for (size_t cell = 0; cell < cells; ++cell) {
    const c10::IValue* of_cell = &parameters[cell * stride];
    const std::string suffix = CellSuffix(cell, bidirectional);
    weights.push_back({"weight_ih" + suffix, of_cell[0].toTensor()});
    weights.push_back({"weight_hh" + suffix, of_cell[1].toTensor()});
    if (stride > projection) {
      weights.push_back({"weight_hr" + suffix, of_cell[projection].toTensor()});
    }
  }
  return weights;
}

// Returns the weights of an aten::quantized_lstm or aten::quantized_gru.
absl::StatusOr<std::vector<NamedTensor>> QuantizedRecurrentWeights(
    const Node& node) {
  std::vector<NamedTensor> weights;
  const bool bidirectional = ConstantFlag(node, "bidirectional");
  const std::vector<c10::IValue> cells =
      ConstantList(InputNamed(node, "params"));
  for (size_t cell = 0; cell < cells.size(); ++cell) {
    NS_ASSIGN_OR_RETURN(const std::vector<at::Tensor> of_cell,
                        PackedCellWeights(cells[cell]));
    const std::string suffix = CellSuffix(cell, bidirectional);
    weights.push_back({"weight_ih" + suffix, of_cell.at(0)});
    weights.push_back({"weight_hh" + suffix, of_cell.at(1)});
  }
  return weights;
}

// Reads the weights of `node` from where `row` says they are. Throws c10::Error
// for a constant that is not what the op takes.
absl::StatusOr<std::vector<NamedTensor>> ReadWeights(const Node& node,
                                                     const OpRow& row) {
  std::vector<NamedTensor> weights;
  const auto input = [&](int offset) {
    return node.input(row.weight_input + offset);
  };
  switch (row.weight_form) {
    case WeightForm::kNone:
      break;
    case WeightForm::kTensor:
      if (const auto weight = ConstantTensor(input(0))) {
        weights.push_back({"weight", *weight});
      }
      break;
    case WeightForm::kTensorPair: {
      const auto ih = ConstantTensor(input(0));
      const auto hh = ConstantTensor(input(1));
      if (ih && hh) {
        weights = {{"weight_ih", *ih}, {"weight_hh", *hh}};
      }
      break;
    }
    case WeightForm::kTensorList:
      return RecurrentWeights(node);
    case WeightForm::kPackedLinear:
      if (const auto packed = ConstantOf(*input(0))) {
        NS_ASSIGN_OR_RETURN(at::Tensor weight, PackedLinearWeight(*packed));
        weights.push_back({"weight", std::move(weight)});
      }
      break;
    case WeightForm::kPackedConv:
      if (const auto packed = ConstantOf(*input(0))) {
        const bool is_1d = absl::EndsWith(row.family, "1d");
        NS_ASSIGN_OR_RETURN(at::Tensor weight,
                            PackedConvWeight(*packed, is_1d));
        weights.push_back({"weight", std::move(weight)});
      }
      break;
    case WeightForm::kPackedEmbedding:
      if (const auto packed = ConstantOf(*input(0))) {
        NS_ASSIGN_OR_RETURN(at::Tensor weight, PackedEmbeddingWeight(*packed));
        weights.push_back({"weight", std::move(weight)});
      }
      break;
    case WeightForm::kPackedPair: {
      const auto ih = ConstantOf(*input(0));
      const auto hh = ConstantOf(*input(1));
      if (ih && hh) {
        NS_ASSIGN_OR_RETURN(at::Tensor of_input, PackedLinearWeight(*ih));
        NS_ASSIGN_OR_RETURN(at::Tensor of_state, PackedLinearWeight(*hh));
        weights = {{"weight_ih", std::move(of_input)},
                   {"weight_hh", std::move(of_state)}};
      }
      break;
    }
    case WeightForm::kCellParamsList:
      return QuantizedRecurrentWeights(node);
  }
  return weights;
}

}  // namespace

absl::StatusOr<std::vector<NamedTensor>> NodeWeights(const Node& node) {
  const OpRow* row = FindOp(OpName(node));
  if (row == nullptr) {
    return std::vector<NamedTensor>();
  }
  return Annotated(absl::StrCat("reading the weights of ", NodeName(node)),
                   CatchTorchErrors([&] { return ReadWeights(node, *row); }));
}

}  // namespace ns
