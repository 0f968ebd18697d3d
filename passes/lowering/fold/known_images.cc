#include "passes/lowering/fold/known_images.h"

#include <torch/csrc/jit/ir/ir.h>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "ir/node_view.h"
#include "passes/ops/op_table.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;

// Of ops whose outputs have three dimensions or more.
bool IsImageFamily(absl::string_view family) {
  return absl::EndsWith(family, "2d") || absl::EndsWith(family, "3d") ||
         family == "conv2d_add" || family == "interpolate";
}

// Of ops whose outputs have as many dimensions as their first input, or more.
constexpr absl::string_view kKeepDimensions[] = {
    "add",  "batch_norm", "dropout", "elu",  "gelu",    "hardswish", "hardtanh",
    "mish", "leaky_relu", "mul",     "relu", "sigmoid", "silu"};

}  // namespace

bool IsSurelyImage(const Value& value) {
  for (const Value* image = &value;;) {
    const Node& node = *image->node();
    const OpRow* row = FindOp(OpName(node));
    if (row == nullptr) {
      return false;
    }
    // LibTorch's convolutions of codes take batches only.
    const bool is_conv1d_of_codes =
        row->numerics == Numerics::kInt8 &&
        (row->family == "conv1d" || row->family == "conv_transpose1d");
    if (is_conv1d_of_codes || IsImageFamily(row->family)) {
      return true;
    }
    if (node.inputs().empty() ||
        !(row->role == Role::kQuantize || row->role == Role::kDequantize ||
          absl::c_linear_search(kKeepDimensions, row->family))) {
      return false;
    }
    image = node.input(0);
  }
}

}  // namespace ns
