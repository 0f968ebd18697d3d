#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <optional>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "ir/node_view.h"
#include "passes/analysis/op_facts.h"
#include "passes/ops/op_table.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;

// The families whose outputs have as many dimensions as their first input, or
// more when another input is broadcast. Sorted.
constexpr absl::string_view kKeepRank[] = {
    "abs",
    "adaptive_avg_pool1d",
    "adaptive_max_pool1d",
    "add",
    "alias",
    "avg_pool1d",
    "batch_norm",
    "cat",
    "celu",
    "channel_shuffle",
    "chunk",
    "clone",
    "constant_pad_nd",
    "contiguous",
    "conv1d",
    "conv_transpose1d",
    "convolution",
    "copy",
    "cpu",
    "data",
    "dequantize",
    "detach",
    "div",
    "dropout",
    "elu",
    "expand",
    "expand_as",
    "fake_quantize",
    "flip",
    "gelu",
    "group_norm",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "index_select",
    "instance_norm",
    "int_repr",
    "layer_norm",
    "leaky_relu",
    "lift_fresh",
    "linear",
    "log_sigmoid",
    "log_softmax",
    "max_pool1d",
    "mish",
    "movedim",
    "mul",
    "narrow",
    "neg",
    "pad",
    "permute",
    "pin_memory",
    "pixel_shuffle",
    "pixel_unshuffle",
    "prelu",
    "quantize",
    "reflection_pad1d",
    "relu",
    "repeat",
    "replication_pad1d",
    "requantize",
    "requires_grad",
    "roll",
    "selu",
    "sigmoid",
    "silu",
    "slice",
    "softmax",
    "softplus",
    "split",
    "sub",
    "swapaxes",
    "tanh",
    "threshold",
    "tile",
    "to",
    "transpose",
    "type_as",
    "unchecked_cast",
    "unflatten",
    "unwrap_optional",
};

// The families whose outputs have a batch or channels, and two dimensions at
// least.
constexpr absl::string_view kTwoOrMore[] = {
    "adaptive_avg_pool1d",
    "adaptive_max_pool1d",
    "avg_pool1d",
    "batch_norm",
    "conv1d",
    "conv_transpose1d",
    "group_norm",
    "instance_norm",
    "max_pool1d",
};

// Returns the least rank that the family alone tells.
int LeastRankOf(const OpRow& row) {
  const absl::string_view family = row.family;
  // With the output size 1 x 1 it also averages float tensors of two
  // dimensions.
  if (family == "adaptive_avg_pool2d" && row.numerics == Numerics::kEither) {
    return 2;
  }
  const bool is_image_op =
      absl::EndsWith(family, "2d") || absl::EndsWith(family, "3d") ||
      family == "conv2d_add" || family == "interpolate" ||
      family == "pixel_shuffle" || family == "pixel_unshuffle";
  // LibTorch's convolutions of quantized tensors take batches only.
  const bool is_quantized_conv1d =
      row.numerics == Numerics::kInt8 && !IsLoweredOp(row.op) &&
      (family == "conv1d" || family == "conv_transpose1d");
  if (is_image_op || is_quantized_conv1d) {
    return 3;
  }
  return absl::c_linear_search(kTwoOrMore, family) ? 2 : 0;
}

std::optional<int64_t> ConstantInt(const Value* value) {
  const auto constant = value == nullptr ? std::nullopt : ConstantOf(*value);
  return constant && constant->isInt() ? std::make_optional(constant->toInt())
                                       : std::nullopt;
}

// Returns how many elements a list always has; nothing when only a run tells.
std::optional<int> LengthOf(const Value* list) {
  if (list == nullptr) {
    return std::nullopt;
  }
  if (const auto constant = ConstantOf(*list)) {
    return constant->isList() ? std::make_optional<int>(static_cast<int>(
                                    constant->toListRef().size()))
                              : std::nullopt;
  }
  return list->node()->kind() == c10::prim::ListConstruct && !IsWrittenTo(*list)
             ? std::make_optional<int>(
                   static_cast<int>(list->node()->inputs().size()))
             : std::nullopt;
}

// Returns the least rank of the output of an op that reduces some of the
// dimensions of its input, which has `rank` or more.
int RankOfReduction(const Node& node, int rank) {
  const Value* keep = InputNamed(node, "keepdim");
  const auto keeps = keep == nullptr ? std::nullopt : ConstantOf(*keep);
  if (keeps && keeps->isBool() && keeps->toBool()) {
    return rank;
  }
  const std::optional<int> reduced = LengthOf(InputNamed(node, "dim"));
  // An empty list of dimensions means all of them.
  return reduced && *reduced > 0 ? rank - *reduced : 0;
}

// Returns the least rank of the output of an op that changes the number of
// dimensions of its input, which has `rank` or more. Nothing for other ops.
std::optional<int> RankOfView(const Node& node, const OpRow& row, int rank,
                              FactsOfInput facts_of) {
  const absl::string_view family = row.family;
  if (family == "view" || family == "reshape") {
    return LengthOf(InputNamed(node, "size") != nullptr
                        ? InputNamed(node, "size")
                        : InputNamed(node, "shape"))
        .value_or(0);
  }
  if (family == "view_as" || family == "reshape_as") {
    return facts_of(*node.input(1)).least_rank;
  }
  if (family == "flatten") {
    const auto start = ConstantInt(InputNamed(node, "start_dim"));
    return start && *start >= 0 ? static_cast<int>(*start) + 1 : 1;
  }
  if (node.kind() == c10::aten::linear) {
    // A weight with one dimension turns each row into a number.
    return facts_of(*node.input(1)).least_rank >= 2 ? rank : rank - 1;
  }
  if (family == "select" || family == "unbind") {
    return rank - 1;
  }
  if (family == "unsqueeze" || family == "stack") {
    return rank + 1;
  }
  if (family == "squeeze") {
    return InputNamed(node, "dim") == nullptr ? 0 : rank - 1;
  }
  if (family == "mean") {
    return RankOfReduction(node, rank);
  }
  return std::nullopt;
}

// Returns the highest rank of the tensors that `node` takes: the others are
// broadcast to it.
int HighestRank(const Node& node, FactsOfInput facts_of) {
  int highest = 0;
  for (const Value* input : node.inputs()) {
    if (IsTensor(*input)) {
      highest = std::max(highest, facts_of(*input).least_rank);
    }
  }
  return highest;
}

}  // namespace

int LeastRankOfOutput(const Node& node, size_t index, FactsOfInput facts_of) {
  const OpRow* row = FindOp(OpName(node));
  if (row == nullptr || node.inputs().empty()) {
    return 0;
  }
  const Value& input = *node.input(0);
  const bool is_of_tensors = IsTensor(input) || IsTensorList(input);
  const int rank = is_of_tensors ? facts_of(input).least_rank : 0;
  if (rank == TensorFacts::kNoTensor) {
    return rank;
  }
  if (const auto of_view = RankOfView(node, *row, rank, facts_of)) {
    return std::max(*of_view, 0);
  }
  if (row->family == "add" || row->family == "mul") {
    return HighestRank(node, facts_of);
  }
  const bool keeps =
      index == 0 && absl::c_binary_search(kKeepRank, row->family);
  return std::max(keeps ? rank : 0, LeastRankOf(*row));
}

}  // namespace ns
