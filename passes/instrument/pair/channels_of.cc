#include "passes/instrument/pair/channels_of.h"

#include <torch/csrc/jit/ir/ir.h>

#include <vector>

#include "ir/aliasing/data_inputs.h"
#include "ir/graph/node_view.h"
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

// Whether the channels of `node` are where those of its first input are.
bool KeepsChannels(const Node& node) {
  const OpRow* const row = FindOp(OpName(node));
  return row != nullptr && IsElementwise(*row);
}

// What is near an op whose channels are at `place`.
ChannelDim NearOpWith(ChannelPlace place) {
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

}  // namespace

// Where the channels of `value` are according to the convolutions and pools
// around it.
ChannelDim ChannelFinder::Near(const Value& value) {
  std::vector<const Value*> open = {&value};
  if (nothing_near_.contains(&value)) {
    return ChannelDim::kByRank;
  }
  llvm::DenseSet<const Value*> seen = {&value};
  const auto visit = [&](const Value* next) {
    if (next != nullptr && !nothing_near_.contains(next) &&
        seen.insert(next).second) {
      open.push_back(next);
    }
  };
  while (!open.empty()) {
    const Value& next = *open.back();
    open.pop_back();
    ++visited_;
    const Node& producer = *next.node();
    ChannelDim found = NearOpWith(PlaceOf(producer));
    if (KeepsChannels(producer)) {
      visit(FirstDataInput(producer));
    }
    for (const Use& use : next.uses()) {
      if (use.offset != 0 || found != ChannelDim::kByRank) {
        continue;
      }
      found = NearOpWith(PlaceOf(*use.user));
      if (KeepsChannels(*use.user)) {
        visit(use.user->output());
      }
    }
    if (found != ChannelDim::kByRank) {
      return found;
    }
  }
  nothing_near_.insert(seen.begin(), seen.end());
  return ChannelDim::kByRank;
}

ChannelDim ChannelsOf(const Node& base) { return ChannelFinder().Of(base); }

ChannelDim ChannelFinder::Of(const Node& base) {
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
                                : Near(*base.outputs()[0]);
}

}  // namespace ns
