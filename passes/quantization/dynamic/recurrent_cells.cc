#include "passes/quantization/dynamic/recurrent_cells.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/ir/ir.h>

#include <optional>

#include "absl/strings/str_cat.h"
#include "ir/base/refusal.h"
#include "ir/base/status.h"
#include "ir/graph/constant_argument.h"
#include "ir/graph/node_view.h"
#include "passes/quantization/layers/constant_weights.h"
#include "passes/rewrite/prepack.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using Cells = std::vector<const SharedConstants::Entry*>;

absl::StatusOr<c10::IValue> ConstantNamed(const Node& node,
                                          absl::string_view name) {
  std::optional<c10::IValue> constant = ConstantArgument(node, name);
  if (!constant) {
    return Refusal(absl::StrCat("its ", name, " is not constant"));
  }
  return *std::move(constant);
}

// Packs w_ih, w_hh and, if there are any, the biases.
absl::StatusOr<QuantizedConstant> PackCell(const LayerSite& site,
                                           absl::Span<const at::Tensor> cell) {
  RecurrentCell packed;
  NS_ASSIGN_OR_RETURN(packed.w_ih, QuantizedBySpec(cell[0], site.weight));
  NS_ASSIGN_OR_RETURN(packed.w_hh, QuantizedBySpec(cell[1], site.weight));
  packed.b_ih = cell.size() > 2 ? cell[2] : at::zeros({cell[0].size(0)});
  packed.b_hh = cell.size() > 2 ? cell[3] : at::zeros({cell[1].size(0)});
  NS_ASSIGN_OR_RETURN(c10::IValue value,
                      PrepackCell(packed, site.reduce_range));
  return QuantizedConstant{std::move(value), {packed.w_ih, packed.w_hh}};
}

}  // namespace

absl::StatusOr<Cells> PackRecurrentCells(const LayerSite& site) {
  const Node& node = *site.node;
  NS_ASSIGN_OR_RETURN(const c10::IValue train, ConstantNamed(node, "train"));
  if (train.toBool()) {
    return Refusal("it is in training");
  }
  NS_ASSIGN_OR_RETURN(const c10::IValue biases,
                      ConstantNamed(node, "has_biases"));
  NS_ASSIGN_OR_RETURN(const c10::IValue layers,
                      ConstantNamed(node, "num_layers"));
  NS_ASSIGN_OR_RETURN(const c10::IValue both,
                      ConstantNamed(node, "bidirectional"));
  NS_ASSIGN_OR_RETURN(const std::vector<ConstantElement> parameters,
                      ConstantElements(*InputNamed(node, "params")));
  const size_t count = layers.toInt() * (both.toBool() ? 2 : 1);
  // Cell by cell w_ih, w_hh, the biases if there are any, and the projection if
  // there is one.
  const size_t stride = biases.toBool() ? 4 : 2;
  if (parameters.size() == count * (stride + 1)) {
    return Refusal(
        "it projects its state (proj_size), which quantized layers cannot");
  }
  if (parameters.size() != count * stride) {
    return Refusal("its parameters do not fit its layers");
  }
  Cells cells;
  for (size_t first = 0; first < parameters.size(); first += stride) {
    std::vector<at::Tensor> cell;
    for (size_t i = first; i < first + stride; ++i) {
      cell.push_back(parameters[i].tensor);
    }
    NS_ASSIGN_OR_RETURN(
        const SharedConstants::Entry* entry,
        site.constants.Get("cell", cell, site.weight, node,
                           NameFor(*parameters[first].named, "packed"),
                           [&] { return PackCell(site, cell); }));
    cells.push_back(entry);
  }
  return cells;
}

}  // namespace ns
