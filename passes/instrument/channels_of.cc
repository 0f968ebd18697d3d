#include "passes/instrument/channels_of.h"

#include <torch/csrc/jit/ir/ir.h>

#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "ir/data_inputs.h"
#include "ir/node_view.h"
#include "passes/ops/op_families.h"
#include "passes/ops/op_table.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Use;
using ::torch::jit::Value;

ChannelPlace PlaceOf(const Node& node) {
  const OpRow* const row = FindOp(OpName(node));
  return row == nullptr ? ChannelPlace::kByRank
                        : row->family_row->facts.channels;
}

// Whether `node` hands on its first input element by element.
bool IsElementwise(const Node& node) {
  static constexpr absl::string_view kFamilies[] = {
      "add",     "clone", "contiguous", "detach", "div",
      "dropout", "mul",   "sub",        "to"};
  const OpRow* const row = FindOp(OpName(node));
  return row != nullptr &&
         (row->role == Role::kQuantize || row->role == Role::kDequantize ||
          row->role == Role::kObserve || row->family_row->facts.is_activation ||
          absl::c_linear_search(kFamilies, row->family));
}

// What is near an op whose channels are at `place`.
ChannelDim Near(ChannelPlace place) {
  switch (place) {
    case ChannelPlace::kSecondLast:
      return ChannelDim::kNearConv1d;
    case ChannelPlace::kThirdLast:
      return ChannelDim::kNearConv2d;
    case ChannelPlace::kFourthLast:
      return ChannelDim::kNearConv3d;
    default:
      return ChannelDim::kByRank;
  }
}

// Where the channels of `value` are by the convolutions and pools around it.
ChannelDim ChannelsNear(const Value& value) {
  std::vector<const Value*> open = {&value};
  absl::flat_hash_set<const Value*> seen = {&value};
  const auto visit = [&](const Value* next) {
    if (next != nullptr && seen.insert(next).second) {
      open.push_back(next);
    }
  };
  while (!open.empty()) {
    const Value& next = *open.back();
    open.pop_back();
    const Node& producer = *next.node();
    ChannelDim found = Near(PlaceOf(producer));
    if (IsElementwise(producer)) {
      visit(FirstDataInput(producer));
    }
    for (const Use& use : next.uses()) {
      if (use.offset != 0 || found != ChannelDim::kByRank) {
        continue;
      }
      found = Near(PlaceOf(*use.user));
      if (IsElementwise(*use.user)) {
        visit(use.user->output());
      }
    }
    if (found != ChannelDim::kByRank) {
      return found;
    }
  }
  return ChannelDim::kByRank;
}

}  // namespace

ChannelDim ChannelsOf(const Node& base) {
  switch (PlaceOf(base)) {
    case ChannelPlace::kSecond:
      return ChannelDim::kSecond;
    case ChannelPlace::kLast:
      return ChannelDim::kLast;
    case ChannelPlace::kSecondLast:
      return ChannelDim::kSecondLast;
    case ChannelPlace::kThirdLast:
      return ChannelDim::kThirdLast;
    case ChannelPlace::kFourthLast:
      return ChannelDim::kFourthLast;
    case ChannelPlace::kByRank:
      break;
  }
  return base.outputs().empty() ? ChannelDim::kByRank
                                : ChannelsNear(*base.outputs()[0]);
}

}  // namespace ns
