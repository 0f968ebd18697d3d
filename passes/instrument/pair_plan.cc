#include "passes/instrument/pair_plan.h"

#include <torch/csrc/jit/ir/ir.h>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "ir/control_flow.h"
#include "ir/node_view.h"
#include "passes/ops/op_table.h"

namespace ns {
namespace {

using ::torch::jit::Node;

// The dimension that has the channels of what `base` gives.
ChannelDim ChannelsOf(const Node& base) {
  static constexpr absl::string_view kLast[] = {
      "embedding", "embedding_bag", "gru",       "gru_cell", "layer_norm",
      "linear",    "lstm",          "lstm_cell", "matmul"};
  const OpRow* row = FindOp(OpName(base));
  const absl::string_view family = row == nullptr ? "" : row->family;
  if (absl::StartsWith(family, "conv") ||
      absl::EndsWith(family, "batch_norm") ||
      absl::StrContains(family, "pool")) {
    return ChannelDim::kSecond;
  }
  return absl::c_linear_search(kLast, family) ? ChannelDim::kLast
                                              : ChannelDim::kByRank;
}

}  // namespace

PairComparerOptions ComparerOptionsFor(const SubgraphMatch& match,
                                       const PairPlan& plan) {
  PairComparerOptions options;
  options.in_loop = IsInLoop(*match.b.subgraph.end);
  options.errors = plan.outliers;
  if (plan.channels) {
    options.channels = ChannelsOf(*match.b.subgraph.base);
  }
  return options;
}

}  // namespace ns
