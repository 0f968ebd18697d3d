#include "passes/instrument/pair_plan.h"

#include <torch/csrc/jit/ir/ir.h>

#include "ir/control_flow.h"
#include "ir/node_view.h"
#include "passes/ops/op_families.h"
#include "passes/ops/op_table.h"

namespace ns {
namespace {

using ::torch::jit::Node;

// The dimension that has the channels of what `base` gives.
ChannelDim ChannelsOf(const Node& base) {
  const OpRow* row = FindOp(OpName(base));
  switch (row == nullptr ? ChannelPlace::kByRank
                         : row->family_row->facts.channels) {
    case ChannelPlace::kSecond:
      return ChannelDim::kSecond;
    case ChannelPlace::kLast:
      return ChannelDim::kLast;
    case ChannelPlace::kByRank:
      break;
  }
  return ChannelDim::kByRank;
}

}  // namespace

PairComparerOptions ComparerOptionsFor(const SubgraphMatch& match,
                                       const PairPlan& plan) {
  PairComparerOptions options;
  options.in_loop = IsInLoop(*match.b.subgraph.end);
  options.errors = plan.outliers;
  options.histograms = plan.histograms;
  if (plan.channels) {
    options.channels = ChannelsOf(*match.b.subgraph.base);
  }
  return options;
}

}  // namespace ns
