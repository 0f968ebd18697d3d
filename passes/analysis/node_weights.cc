#include "passes/analysis/node_weights.h"

#include <ATen/Functions.h>
#include <ATen/core/ivalue.h>
#include <torch/csrc/jit/ir/ir.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ir/graph/constant_argument.h"
#include "ir/graph/node_view.h"
#include "passes/analysis/packed_layers.h"
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

int64_t ConstantInt(const Node& node, absl::string_view name,
                    int64_t otherwise) {
  const std::optional<c10::IValue> number = ConstantArgument(node, name);
  return number && number->isInt() ? number->toInt() : otherwise;
}

// Returns the parameters of each cell of an aten::lstm, aten::gru, ...: w_ih,
// w_hh, then the biases if there are any, then a projection. Empty where they
// are not constant.
std::vector<std::vector<at::Tensor>> RecurrentCells(const Node& node) {
  const std::vector<c10::IValue> parameters =
      ConstantList(InputNamed(node, "params"));
  const size_t count = ConstantInt(node, "num_layers", 1) *
                       (IsArgumentTrue(node, "bidirectional") ? 2 : 1);
  const size_t least = IsArgumentTrue(node, "has_biases") ? 4 : 2;
  std::vector<std::vector<at::Tensor>> cells;
  if (count == 0 || parameters.size() % count != 0 ||
      parameters.size() < least * count) {
    return cells;
  }
  const size_t stride = parameters.size() / count;
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (i % stride == 0) {
      cells.emplace_back();
    }
    cells.back().push_back(parameters[i].toTensor());
  }
  return cells;
}

std::vector<NamedTensor> RecurrentWeights(const Node& node) {
  const bool bidirectional = IsArgumentTrue(node, "bidirectional");
  const size_t projection = IsArgumentTrue(node, "has_biases") ? 4 : 2;
  const std::vector<std::vector<at::Tensor>> cells = RecurrentCells(node);
  std::vector<NamedTensor> weights;
  for (size_t cell = 0; cell < cells.size(); ++cell) {
    const std::vector<at::Tensor>& of_cell = cells[cell];
    const std::string suffix = CellSuffix(cell, bidirectional);
    weights.push_back({"weight_ih" + suffix, of_cell[0]});
    weights.push_back({"weight_hh" + suffix, of_cell[1]});
    if (of_cell.size() > projection) {
      weights.push_back({"weight_hr" + suffix, of_cell[projection]});
    }
  }
  return weights;
}

// Returns the weights of an aten::quantized_lstm or aten::quantized_gru.
absl::StatusOr<std::vector<NamedTensor>> QuantizedRecurrentWeights(
    const Node& node) {
  std::vector<NamedTensor> weights;
  const bool bidirectional = IsArgumentTrue(node, "bidirectional");
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

// Returns the packed linear layers of all cells.
absl::StatusOr<std::vector<c10::IValue>> PackedLinears(const Node& node,
                                                       const OpRow& row) {
  std::vector<c10::IValue> linears;
  if (row.weight_form == WeightForm::kPackedPair) {
    for (const int offset : {0, 1}) {
      if (auto packed = ConstantOf(*node.input(row.weight_input + offset))) {
        linears.push_back(*std::move(packed));
      }
    }
    return linears;
  }
  for (const c10::IValue& cell : ConstantList(InputNamed(node, "params"))) {
    NS_ASSIGN_OR_RETURN(const std::vector<c10::IValue> of_cell,
                        PackedCellLinears(cell));
    linears.insert(linears.end(), of_cell.begin(), of_cell.end());
  }
  return linears;
}

// Returns the biases of a recurrent node in their order; empty for none.
absl::StatusOr<std::vector<at::Tensor>> ReadBiases(const Node& node,
                                                   const OpRow& row) {
  std::vector<at::Tensor> biases;
  switch (row.weight_form) {
    case WeightForm::kTensorPair:
      for (const absl::string_view name : {"b_ih", "b_hh"}) {
        const Value* value = InputNamed(node, name);
        if (const auto bias =
                value == nullptr ? std::nullopt : ConstantTensor(value)) {
          biases.push_back(*bias);
        }
      }
      break;
    case WeightForm::kTensorList:
      for (const std::vector<at::Tensor>& cell : RecurrentCells(node)) {
        if (IsArgumentTrue(node, "has_biases")) {
          biases.insert(biases.end(), {cell[2], cell[3]});
        }
      }
      break;
    case WeightForm::kPackedPair:
    case WeightForm::kCellParamsList: {
      NS_ASSIGN_OR_RETURN(const std::vector<c10::IValue> linears,
                          PackedLinears(node, row));
      for (const c10::IValue& linear : linears) {
        NS_ASSIGN_OR_RETURN(LinearLayer layer, UnpackLinear(linear));
        if (layer.bias.defined()) {
          biases.push_back(std::move(layer.bias));
        }
      }
      break;
    }
    default:
      break;
  }
  return biases;
}

}  // namespace

absl::StatusOr<at::Tensor> RecurrentBias(const Node& node) {
  const OpRow* row = FindOp(OpName(node));
  if (row == nullptr) {
    return at::Tensor();
  }
  return Annotated(absl::StrCat("reading the biases of ", NodeName(node)),
                   CatchTorchErrors([&]() -> absl::StatusOr<at::Tensor> {
                     NS_ASSIGN_OR_RETURN(const std::vector<at::Tensor> biases,
                                         ReadBiases(node, *row));
                     return biases.empty() ? at::Tensor() : at::cat(biases);
                   }));
}

absl::StatusOr<std::vector<NamedTensor>> NodeWeights(const Node& node) {
  const OpRow* row = FindOp(OpName(node));
  if (row == nullptr) {
    return std::vector<NamedTensor>();
  }
  return Annotated(absl::StrCat("reading the weights of ", NodeName(node)),
                   CatchTorchErrors([&] { return ReadWeights(node, *row); }));
}

}  // namespace ns
