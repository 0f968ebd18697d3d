#include "passes/instrument/pair/pair_plan.h"

#include <torch/csrc/jit/ir/ir.h>

#include "ir/graph/control_flow.h"

namespace ns {

PairComparerOptions ComparerOptionsFor(const SubgraphMatch& match,
                                       const PairPlan& plan) {
  ChannelFinder channels;
  return ComparerOptionsFor(match, plan, channels);
}

PairComparerOptions ComparerOptionsFor(const SubgraphMatch& match,
                                       const PairPlan& plan,
                                       ChannelFinder& channels) {
  PairComparerOptions options;
  options.in_loop = IsInLoop(*match.b.subgraph.end);
  options.errors = plan.outliers;
  options.histograms = plan.histograms;
  if (plan.channels) {
    options.channels = channels.Of(*match.b.subgraph.base);
  }
  return options;
}

}  // namespace ns
