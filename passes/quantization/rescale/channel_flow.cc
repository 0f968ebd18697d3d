#include "passes/quantization/rescale/channel_flow.h"

#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <optional>
#include <string>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "ir/base/refusal.h"
#include "ir/base/status.h"
#include "ir/graph/node_view.h"
#include "passes/analysis/conv_numbers.h"
#include "passes/quantization/layers/int8_form.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Use;
using ::torch::jit::Value;

absl::Status Between(const Node& node) {
  return Refusal(absl::StrCat(OpName(node), " stands between"));
}

bool AsksForShapeAlone(const Node& node) {
  constexpr absl::string_view kOps[] = {
      "aten::dim",        "aten::is_floating_point",
      "aten::len",        "aten::numel",
      "aten::size",       "prim::device",
      "prim::dtype",      "prim::is_cuda",
      "prim::layout",     "aten::get_device",
      "aten::is_complex",
  };
  return absl::c_linear_search(kOps, OpName(node));
}

// The name without the underscore of ops in place.
absl::string_view PlainName(const Node& node) {
  return absl::StripSuffix(OpName(node), "_");
}

bool ActsOnEachElement(const Node& node) {
  constexpr absl::string_view kOps[] = {
      "aten::alias",      "aten::clone", "aten::contiguous", "aten::detach",
      "aten::leaky_relu", "aten::prelu", "aten::relu",
  };
  return absl::c_linear_search(kOps, PlainName(node)) || HandsOnItsInput(node);
}

// The number of dimensions of space over which an op pools or resizes, "2" of
// max_pool2d; 0 for other ops.
int64_t PooledDimensions(absl::string_view op) {
  constexpr absl::string_view kOps[] = {
      "aten::adaptive_avg_pool",  "aten::adaptive_max_pool",
      "aten::avg_pool",           "aten::max_pool",
      "aten::upsample_bicubic",   "aten::upsample_bilinear",
      "aten::upsample_linear",    "aten::upsample_nearest",
      "aten::upsample_trilinear",
  };
  for (const absl::string_view start : kOps) {
    absl::string_view rest = op;
    if (absl::ConsumePrefix(&rest, start) && rest.size() == 2 &&
        absl::ascii_isdigit(rest[0]) && rest[1] == 'd') {
      return rest[0] - '0';
    }
  }
  return 0;
}

std::optional<c10::IValue> Constant(const Node& node, absl::string_view name) {
  const Value* input = InputNamed(node, name);
  return input == nullptr ? std::nullopt : EvaluatedConstant(*input);
}

std::optional<int64_t> ConstantInt(const Node& node, absl::string_view name) {
  const auto constant = Constant(node, name);
  return constant && constant->isInt() ? std::make_optional(constant->toInt())
                                       : std::nullopt;
}

std::optional<std::vector<int64_t>> ConstantInts(const Node& node,
                                                 absl::string_view name) {
  const auto constant = Constant(node, name);
  return constant && constant->isIntList()
             ? std::make_optional(constant->toIntVector())
             : std::nullopt;
}

bool IsNone(const Node& node, absl::string_view name) {
  const Value* input = InputNamed(node, name);
  return input == nullptr || input->mustBeNone();
}

// Counts dimension `dim` of an op's argument from the end, where the last one
// is 1. Of an image, one that counts from the front has a batch in front of the
// channels.
std::optional<int64_t> FromTheEnd(const ChannelFlow& flow, int64_t dim) {
  if (dim < 0) {
    return -dim;
  }
  return flow.dim > 1 ? std::make_optional(flow.dim + 1 - dim) : std::nullopt;
}

bool PadsWithZeros(const Node& node) {
  const auto mode = Constant(node, "mode");
  if (mode && !(mode->isString() && mode->toStringRef() == "constant")) {
    return false;
  }
  return IsNone(node, "value") ||
         NumberOf(*InputNamed(node, "value")) == std::optional<double>(0);
}

bool PadsSpaceAlone(const ChannelFlow& flow, const Node& node) {
  const auto pad = ConstantInts(node, "pad");
  return pad && static_cast<int64_t>(pad->size()) / 2 < flow.dim &&
         PadsWithZeros(node);
}

absl::StatusOr<ChannelFlow> PastMean(ChannelFlow flow, const Node& node,
                                     int64_t least_rank) {
  const auto dims = ConstantInts(node, "dim");
  const auto keeps = Constant(node, "keepdim");
  if (!dims || !IsNone(node, "dtype") || !keeps || !keeps->isBool()) {
    return Between(node);
  }
  int64_t behind = 0;
  for (const int64_t dim : *dims) {
    const std::optional<int64_t> from_end = FromTheEnd(flow, dim);
    // In front of features, how many dimensions there are does not matter.
    const bool is_in_front =
        flow.dim == 1 && (from_end ? *from_end > 1 : dim < least_rank - 1);
    if (!is_in_front && (!from_end || *from_end >= flow.dim || *from_end < 1)) {
      return Refusal(absl::StrCat(OpName(node),
                                  " stands between, and may not be over space "
                                  "alone"));
    }
    behind += is_in_front ? 0 : 1;
  }
  if (!keeps->toBool()) {
    flow.dim -= behind;
  }
  return flow;
}

// Returns the value that `number`, an int, is the size of: of its first
// dimension. Null for anything else.
const Value* BatchSizeOf(const Value* number) {
  const Node* node = number->node();
  // Tracing makes a tensor of a size, and an int of that.
  while ((node->kind() == c10::aten::Int ||
          node->kind() == c10::prim::NumToTensor) &&
         node->inputs().size() == 1) {
    node = node->input(0)->node();
  }
  return node->kind() == c10::aten::size && node->inputs().size() == 2 &&
                 NumberOf(*node->input(1)) == std::optional<double>(0)
             ? node->input(0)
             : nullptr;
}

// Whether `sizes` is [x.size(0), F]: what flattens a batch of images to rows of
// features.
bool IsBatchOfRows(const ChannelFlow& flow, const Value& sizes) {
  return sizes.node()->kind() == c10::prim::ListConstruct &&
         sizes.node()->inputs().size() == 2 &&
         BatchSizeOf(sizes.node()->input(0)) == flow.value &&
         ConstantOf(*sizes.node()->input(1)).has_value();
}

// Whether `sizes` ends with the number of channels: reading the same elements
// row by row, each keeps its channel.
bool EndsWithChannels(const ChannelFlow& flow, const Value& sizes) {
  const auto constant = ConstantOf(sizes);
  if (constant && constant->isIntList()) {
    const std::vector<int64_t> ints = constant->toIntVector();
    return !ints.empty() && ints.back() == flow.channels;
  }
  if (sizes.node()->kind() != c10::prim::ListConstruct ||
      sizes.node()->inputs().empty()) {
    return false;
  }
  const auto last = NumberOf(*sizes.node()->inputs().back());
  return last && *last == static_cast<double>(flow.channels);
}

absl::StatusOr<ChannelFlow> PastReshape(ChannelFlow flow, const Node& node) {
  const Value* sizes =
      InputNamed(node, node.kind() == c10::aten::view ? "size" : "shape");
  if (sizes != nullptr && !flow.is_flattened) {
    if (flow.dim > 1 && IsBatchOfRows(flow, *sizes)) {
      flow.dim = 1;
      flow.is_flattened = true;
      return flow;
    }
    if (flow.dim == 1 && EndsWithChannels(flow, *sizes)) {
      return flow;
    }
  }
  return Refusal(absl::StrCat(OpName(node),
                              " stands between, and only a run tells where it "
                              "puts channels"));
}

absl::StatusOr<ChannelFlow> PastFlatten(ChannelFlow flow, const Node& node) {
  const auto start_dim = ConstantInt(node, "start_dim");
  const auto end_dim = ConstantInt(node, "end_dim");
  if (start_dim && end_dim && !flow.is_flattened) {
    const auto start = FromTheEnd(flow, *start_dim);
    const auto end = FromTheEnd(flow, *end_dim);
    if (flow.dim > 1 && start == flow.dim && end == 1) {
      flow.dim = 1;
      flow.is_flattened = true;
      return flow;
    }
    if (flow.dim == 1 && end && *end > 1) {
      return flow;
    }
  }
  return Refusal(absl::StrCat(OpName(node),
                              " stands between, and mixes channels with other "
                              "dimensions"));
}

// Whether `dim`, an argument of an op on features, is surely not their
// dimension.
bool IsInFront(std::optional<int64_t> dim, int64_t least_rank) {
  return dim && (*dim < 0 ? *dim < -1 : *dim < least_rank - 1);
}

// Whether `node` reorders, picks or repeats features as a whole.
bool LeavesFeaturesTogether(const Node& node, int64_t least_rank) {
  const absl::string_view op = OpName(node);
  if (op == "aten::transpose") {
    return IsInFront(ConstantInt(node, "dim0"), least_rank) &&
           IsInFront(ConstantInt(node, "dim1"), least_rank);
  }
  if (op == "aten::slice" || op == "aten::select") {
    return IsInFront(ConstantInt(node, "dim"), least_rank);
  }
  if (op == "aten::permute") {
    const auto dims = ConstantInts(node, "dims");
    return dims && !dims->empty() &&
           (dims->back() == -1 ||
            dims->back() == static_cast<int64_t>(dims->size()) - 1);
  }
  return false;
}

}  // namespace

absl::StatusOr<std::vector<Use>> ReadersOf(const Value& value) {
  std::vector<Use> readers;
  for (const Use& use : value.uses()) {
    if (AsksForShapeAlone(*use.user)) {
      continue;
    }
    if (use.user->kind() == c10::prim::Return) {
      return Refusal(value.node()->owningBlock()->owningNode() == nullptr
                         ? "its values are an output of the model"
                         : "its values leave their block of control flow");
    }
    if (use.user->kind() == c10::prim::TupleConstruct ||
        use.user->kind() == c10::prim::ListConstruct ||
        use.user->kind() == c10::prim::DictConstruct) {
      return Refusal("its values go into a tuple or a list");
    }
    if (use.user->owningBlock() != value.node()->owningBlock() ||
        !use.user->blocks().empty()) {
      return Refusal("its values are read inside of control flow");
    }
    readers.push_back(use);
  }
  return readers;
}

absl::StatusOr<Use> OnlyReaderOf(const Value& value) {
  NS_ASSIGN_OR_RETURN(const std::vector<Use> readers, ReadersOf(value));
  if (readers.empty()) {
    return Refusal("nothing reads its values");
  }
  if (readers.size() > 1) {
    return Refusal(absl::StrCat("its values are read by ",
                                OpName(*readers[0].user), " and by ",
                                OpName(*readers[1].user)));
  }
  return readers[0];
}

absl::StatusOr<ChannelFlow> ChannelFactors::Past(const ChannelFlow& flow,
                                                 const Use& reader) const {
  Node& node = *reader.user;
  if (reader.offset != 0 || node.outputs().size() != 1 ||
      !IsTensor(*node.output())) {
    return Between(node);
  }
  const int64_t least_rank =
      std::max<int64_t>(facts_.Sure(*flow.value).least_rank, 0);
  absl::StatusOr<ChannelFlow> behind = flow;
  const int64_t pooled = PooledDimensions(OpName(node));
  if (pooled > 0) {
    if (flow.is_flattened || pooled >= flow.dim) {
      return Between(node);
    }
  } else if (node.kind() == c10::aten::mean && !flow.is_flattened) {
    behind = PastMean(flow, node, least_rank);
  } else if (node.kind() == c10::aten::flatten) {
    behind = PastFlatten(flow, node);
  } else if (node.kind() == c10::aten::view ||
             node.kind() == c10::aten::reshape) {
    behind = PastReshape(flow, node);
  } else if (OpName(node) == "aten::constant_pad_nd" ||
             OpName(node) == "aten::pad") {
    if (!PadsSpaceAlone(flow, node)) {
      return Between(node);
    }
  } else if (!ActsOnEachElement(node) &&
             !(flow.dim == 1 && !flow.is_flattened &&
               LeavesFeaturesTogether(node, least_rank))) {
    return Between(node);
  }
  if (behind.ok()) {
    behind->value = node.output();
  }
  return behind;
}

}  // namespace ns
