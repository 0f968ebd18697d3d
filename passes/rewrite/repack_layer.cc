#include "passes/rewrite/repack_layer.h"

#include <torch/csrc/jit/ir/ir.h>

#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "ir/base/refusal.h"
#include "ir/base/status.h"
#include "ir/graph/node_view.h"
#include "passes/analysis/packed_layers.h"
#include "passes/analysis/packed_weights.h"
#include "passes/ops/op_table.h"
#include "passes/rewrite/prepack.h"

namespace ns {
namespace {

using ::torch::jit::Node;

// A packed constant, and what op packs it: "linear", "conv2d", ...
struct PackedLayer {
  const OpRow* row;
  c10::IValue packed;

  bool IsLinear() const {
    return row->weight_form == WeightForm::kPackedLinear;
  }
  bool Is1d() const { return absl::EndsWith(row->family, "1d"); }
};

absl::StatusOr<PackedLayer> PackedLayerOf(const Node& node) {
  const OpRow* row = FindOp(OpName(node));
  if (row == nullptr || (row->weight_form != WeightForm::kPackedLinear &&
                         row->weight_form != WeightForm::kPackedConv)) {
    return Refusal("it is no quantized linear layer or convolution");
  }
  std::optional<c10::IValue> packed =
      ConstantOf(*node.input(row->weight_input));
  if (!packed || !packed->isObject()) {
    return Refusal("its packed parameters are not constant");
  }
  if (!absl::StartsWith(OpName(node), "quantized::")) {
    return Refusal("its parameters are not packed by LibTorch");
  }
  return PackedLayer{row, *std::move(packed)};
}

}  // namespace

absl::StatusOr<LayerParameters> PackedParametersOf(const Node& node) {
  NS_ASSIGN_OR_RETURN(const PackedLayer layer, PackedLayerOf(node));
  LayerParameters parameters;
  if (layer.IsLinear()) {
    NS_ASSIGN_OR_RETURN(parameters.weight, PackedLinearWeight(layer.packed));
    NS_ASSIGN_OR_RETURN(const LinearLayer linear, UnpackLinear(layer.packed));
    parameters.bias = linear.bias;
    return parameters;
  }
  NS_ASSIGN_OR_RETURN(parameters.weight,
                      PackedConvWeight(layer.packed, layer.Is1d()));
  NS_ASSIGN_OR_RETURN(const ConvLayer conv,
                      UnpackConv(layer.packed, layer.Is1d()));
  parameters.bias = conv.bias;
  parameters.groups = conv.groups;
  return parameters;
}

absl::StatusOr<c10::IValue> RepackLayer(const Node& node,
                                        const LayerParameters& layer) {
  NS_ASSIGN_OR_RETURN(const PackedLayer present, PackedLayerOf(node));
  if (present.IsLinear()) {
    return PrepackLinear(layer.weight, layer.bias);
  }
  NS_RETURN_IF_ERROR(CheckLayerWeight(layer.weight));
  NS_ASSIGN_OR_RETURN(const ConvLayer conv,
                      UnpackConv(present.packed, present.Is1d()));
  std::vector<c10::IValue> arguments = {
      layer.weight,
      layer.bias.defined() ? c10::IValue(layer.bias) : c10::IValue(),
      conv.stride, conv.padding};
  if (absl::StartsWith(present.row->family, "conv_transpose")) {
    arguments.emplace_back(conv.output_padding);
  }
  arguments.emplace_back(conv.dilation);
  arguments.emplace_back(layer.groups);
  return Prepack(absl::StrCat(present.row->family, "_prepack"),
                 std::move(arguments));
}

}  // namespace ns
