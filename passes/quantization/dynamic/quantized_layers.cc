#include "passes/quantization/dynamic/quantized_layers.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/ir/ir.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "ir/base/refusal.h"
#include "ir/base/status.h"
#include "ir/graph/insert_op.h"
#include "ir/graph/node_view.h"
#include "passes/ops/op_families.h"
#include "passes/ops/op_table.h"
#include "passes/quantization/dynamic/recurrent_cells.h"
#include "passes/quantization/layers/constant_weights.h"
#include "passes/rewrite/kernel_ranks.h"
#include "passes/rewrite/packed_embedding.h"
#include "passes/rewrite/prepack.h"

namespace ns {
namespace {

using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;
using Entry = SharedConstants::Entry;

// Returns LibTorch's dynamically quantized op of the family; empty for none.
absl::string_view DynamicOp(const OpFamily& family, FinalActivation fused) {
  for (const FamilyOp& op : OpsOf(family)) {
    if (op.numerics == Numerics::kDynamic && !IsLoweredOp(op.op) &&
        op.fused_activation == fused) {
      return op.op;
    }
  }
  return "";
}

// Calls `op` with values, and returns all its outputs, which have the types of
// the layer's.
absl::StatusOr<std::vector<Value*>> Call(const LayerSite& site,
                                         absl::string_view op,
                                         const std::vector<Value*>& inputs) {
  const auto outputs = site.node->outputs();
  NS_ASSIGN_OR_RETURN(Node * call,
                      InsertNode(site.node->owningGraph()->create(
                          c10::Symbol::fromQualString(std::string(op)), inputs,
                          outputs.size())));
  std::vector<Value*> results;
  for (size_t i = 0; i < outputs.size(); ++i) {
    results.push_back(call->output(i)->setType(outputs[i]->type()));
  }
  return results;
}

// Returns the packed constant of a weight and a bias, which are arguments of
// the layer. LibTorch's onednn keeps in the object how the op ends that used it
// first: calls with and without a relu must not share one.
absl::StatusOr<const Entry*> PackArguments(const LayerSite& site,
                                           size_t weight_index,
                                           size_t bias_index) {
  NS_ASSIGN_OR_RETURN(
      const at::Tensor weight,
      ConstantTensor(*site.node->input(weight_index), "its weight"));
  NS_ASSIGN_OR_RETURN(
      const at::Tensor bias,
      ConstantTensor(*site.node->input(bias_index), "its bias"));
  if (!weight.defined()) {
    return Refusal("its weight is None");
  }
  return site.constants.Get(
      site.with_relu ? "linear, relu" : "linear", {weight, bias}, site.weight,
      *site.node, NameFor(*site.node->input(weight_index), "packed"),
      [&]() -> absl::StatusOr<QuantizedConstant> {
        NS_ASSIGN_OR_RETURN(at::Tensor quantized,
                            QuantizedBySpec(weight, site.weight));
        NS_ASSIGN_OR_RETURN(c10::IValue packed, PrepackLinear(quantized, bias));
        return QuantizedConstant{std::move(packed), {std::move(quantized)}};
      });
}

//   %y = quantized::linear_dynamic(%x, %packed, %reduce_range)
absl::StatusOr<QuantizedLayer> InsertLinear(const LayerSite& site,
                                            absl::string_view op) {
  Value* x = site.node->input(0);
  NS_RETURN_IF_ERROR(CheckTypeOf(*x, CheckDynamicLinearRank));
  NS_ASSIGN_OR_RETURN(const Entry* packed,
                      PackArguments(site, ArgumentIndex(*site.node, "weight"),
                                    ArgumentIndex(*site.node, "bias")));
  NS_ASSIGN_OR_RETURN(Value * output, InsertFor(site, [&] {
                        return InsertOp(*site.node->owningGraph(), op,
                                        {x, packed->value, site.reduce_range});
                      }));
  return QuantizedLayer{{output}, packed->weights};
}

//   %y, %h, %c = aten::quantized_lstm(%x, %hx, [%cell0, %cell1], %true, ...)
absl::StatusOr<QuantizedLayer> InsertRecurrent(const LayerSite& site,
                                               absl::string_view op) {
  NS_ASSIGN_OR_RETURN(const std::vector<const Entry*> cells,
                      PackRecurrentCells(site));
  QuantizedLayer layer;
  std::vector<Value*> packed;
  for (const Entry* cell : cells) {
    packed.push_back(cell->value);
    layer.weights.insert(layer.weights.end(), cell->weights.begin(),
                         cell->weights.end());
  }
  Graph& graph = *site.node->owningGraph();
  const auto outputs = InsertFor(site, [&] {
    std::vector<Value*> inputs = site.node->inputs().vec();
    inputs[ArgumentIndex(*site.node, "params")] =
        graph.insertNode(graph.createList(packed.front()->type(), packed))
            ->output();
    inputs[ArgumentIndex(*site.node, "has_biases")] =
        graph.insertConstant(true);
    if (site.node->kind() == c10::aten::lstm) {
      inputs.push_back(
          graph.insertConstant(static_cast<int64_t>(at::kQInt8)));  // dtype
      inputs.push_back(graph.insertConstant(true));  // use_dynamic
    }
    return Call(site, op, inputs);
  });
  NS_RETURN_IF_ERROR(outputs.status());
  layer.outputs = *outputs;
  return layer;
}

// Returns the bias of a cell, argument `index`, as a tensor: of zeros where it
// is None. The op does not look at it, as the packed weight holds it, too.
Value* CellBias(const LayerSite& site, size_t index, const Entry& packed) {
  Value* bias = site.node->input(index);
  return bias->mustBeNone() ? site.node->owningGraph()->insertConstant(
                                  at::zeros({packed.weights.front().size(0)}))
                            : bias;
}

//   %h = quantized::quantized_gru_cell_dynamic(%x, %hx, %ih, %hh, %b_ih, %b_hh)
absl::StatusOr<QuantizedLayer> InsertCell(const LayerSite& site,
                                          absl::string_view op) {
  const size_t w_ih = ArgumentIndex(*site.node, "w_ih");
  const size_t w_hh = ArgumentIndex(*site.node, "w_hh");
  const size_t b_ih = ArgumentIndex(*site.node, "b_ih");
  const size_t b_hh = ArgumentIndex(*site.node, "b_hh");
  NS_ASSIGN_OR_RETURN(const Entry* ih, PackArguments(site, w_ih, b_ih));
  NS_ASSIGN_OR_RETURN(const Entry* hh, PackArguments(site, w_hh, b_hh));
  QuantizedLayer layer;
  layer.weights = {ih->weights.front(), hh->weights.front()};
  const auto outputs = InsertFor(site, [&] {
    std::vector<Value*> inputs = site.node->inputs().vec();
    inputs[w_ih] = ih->value;
    inputs[w_hh] = hh->value;
    inputs[b_ih] = CellBias(site, b_ih, *ih);
    inputs[b_hh] = CellBias(site, b_hh, *hh);
    return Call(site, op, inputs);
  });
  NS_RETURN_IF_ERROR(outputs.status());
  layer.outputs = *outputs;
  return layer;
}

}  // namespace

absl::StatusOr<QuantizedLayer> InsertDynamicLayer(const LayerSite& site) {
  const OpFamily* family = FindFamily(site.family);
  const absl::string_view op =
      family == nullptr
          ? ""
          : DynamicOp(*family, site.with_relu ? FinalActivation::kRelu
                                              : FinalActivation::kNone);
  const OpRow* row = FindOp(OpName(*site.node));
  if (op.empty() || row == nullptr || row->numerics != Numerics::kFloat) {
    return Refusal("it has no dynamically quantized form");
  }
  switch (family->facts.quantized_weight.form) {
    case WeightForm::kPackedLinear:
      return InsertLinear(site, op);
    case WeightForm::kCellParamsList:
      return InsertRecurrent(site, op);
    case WeightForm::kPackedPair:
      return InsertCell(site, op);
    default:
      return Refusal("it has no dynamically quantized form");
  }
}

absl::StatusOr<QuantizedLayer> InsertQuantizedEmbedding(const LayerSite& site) {
  NS_RETURN_IF_ERROR(CheckPackedEmbedding(*site.node));
  const size_t index = ArgumentIndex(*site.node, "weight");
  NS_ASSIGN_OR_RETURN(const at::Tensor table,
                      ConstantTensor(*site.node->input(index), "its weight"));
  NS_ASSIGN_OR_RETURN(
      const Entry* packed,
      site.constants.Get(
          "table", {table}, site.weight, *site.node,
          NameFor(*site.node->input(index), "packed"),
          [&]() -> absl::StatusOr<QuantizedConstant> {
            NS_ASSIGN_OR_RETURN(at::Tensor quantized,
                                QuantizedBySpec(table, site.weight));
            NS_ASSIGN_OR_RETURN(c10::IValue value, PrepackEmbedding(quantized));
            return QuantizedConstant{std::move(value), {std::move(quantized)}};
          }));
  NS_ASSIGN_OR_RETURN(Value * output, InsertFor(site, [&] {
                        return InsertPackedEmbedding(*site.node,
                                                     packed->weights.front(),
                                                     *packed->value);
                      }));
  return QuantizedLayer{{output}, packed->weights};
}

}  // namespace ns
