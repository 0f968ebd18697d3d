#include "passes/quantization/layers/fit_qconfig.h"

#include <torch/csrc/jit/ir/ir.h>

#include "ir/graph/constant_argument.h"
#include "ir/graph/node_view.h"
#include "passes/ops/op_table.h"

namespace ns {
namespace {

using ::torch::jit::Node;

// aten::_convolution is told by an argument.
bool IsTransposed(const Node& node, const OpRow& row) {
  return row.family_row->facts.weight_channel_dim != 0 ||
         IsArgumentTrue(node, "transposed");
}

}  // namespace

bool FitWeight(const FloatSubgraph& subgraph, QConfig& qconfig) {
  const Node& base = *subgraph.subgraph.base;
  const OpRow* row = FindOp(OpName(base));
  if (row == nullptr || row->weight_form == WeightForm::kNone ||
      !IsPerChannel(qconfig.weight) || !IsTransposed(base, *row)) {
    return false;
  }
  ObserverConfig& config = qconfig.weight.config;
  config.kind = config.kind == ObserverKind::kMovingAveragePerChannelMinMax
                    ? ObserverKind::kMovingAverageMinMax
                    : ObserverKind::kMinMax;
  config.qscheme = IsSymmetric(config.qscheme) ? at::kPerTensorSymmetric
                                               : at::kPerTensorAffine;
  return true;
}

}  // namespace ns
