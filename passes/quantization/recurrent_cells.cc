#include "passes/quantization/recurrent_cells.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/ir/ir.h>

#include <optional>

#include "absl/strings/str_cat.h"
#include "ir/node_view.h"
#include "ir/refusal.h"
#include "ir/status.h"
#include "passes/rewrite/prepack.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;
using Cells = std::vector<const SharedConstants::Entry*>;

constexpr absl::string_view kParameters = "a parameter of it";

absl::StatusOr<c10::IValue> ConstantNamed(const Node& node,
                                          absl::string_view name) {
  std::optional<c10::IValue> constant = ConstantOf(*InputNamed(node, name));
  if (!constant) {
    return Refusal(absl::StrCat("its ", name, " is not constant"));
  }
  return *std::move(constant);
}

// The parameters of a layer, as torch.nn has them: cell by cell w_ih, w_hh, the
// biases if there are any, and the projection if there is one.
struct Parameters {
  std::vector<at::Tensor> tensors;
  // What constants made of them are named after: the first of each cell.
  std::vector<std::string> names;
};

absl::StatusOr<Parameters> ReadParameters(const LayerSite& site) {
  const Value& list = *InputNamed(*site.node, "params");
  if (IsWrittenTo(list)) {
    return Refusal("its parameters are not constant");
  }
  Parameters parameters;
  if (const std::optional<c10::IValue> constant = ConstantOf(list)) {
    for (const at::Tensor& tensor : constant->toTensorVector()) {
      parameters.tensors.push_back(tensor.detach());
      parameters.names.push_back(NameFor(list, "packed"));
    }
    return parameters;
  }
  if (list.node()->kind() != c10::prim::ListConstruct) {
    return Refusal("its parameters are not constant");
  }
  for (const Value* element : list.node()->inputs()) {
    NS_ASSIGN_OR_RETURN(at::Tensor tensor,
                        ConstantTensorOf(site, *element, kParameters));
    parameters.tensors.push_back(std::move(tensor));
    parameters.names.push_back(NameFor(*element, "packed"));
  }
  return parameters;
}

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
  NS_ASSIGN_OR_RETURN(const Parameters parameters, ReadParameters(site));
  const size_t count = layers.toInt() * (both.toBool() ? 2 : 1);
  const size_t stride = biases.toBool() ? 4 : 2;
  if (parameters.tensors.size() == count * (stride + 1)) {
    return Refusal(
        "it projects its state (proj_size), which quantized layers cannot");
  }
  if (parameters.tensors.size() != count * stride) {
    return Refusal("its parameters do not fit its layers");
  }
  Cells cells;
  for (size_t i = 0; i < count; ++i) {
    const auto cell =
        absl::MakeSpan(parameters.tensors).subspan(i * stride, stride);
    NS_ASSIGN_OR_RETURN(const SharedConstants::Entry* entry,
                        site.constants.Get("cell", cell, site.weight, node,
                                           parameters.names[i * stride], [&] {
                                             return PackCell(site, cell);
                                           }));
    cells.push_back(entry);
  }
  return cells;
}

}  // namespace ns
