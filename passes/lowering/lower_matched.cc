#include "passes/lowering/lower_matched.h"

#include <torch/csrc/jit/ir/ir.h>

#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ir/status.h"
#include "ir/torch_errors.h"
#include "passes/analysis/saturation_check.h"

namespace ns {
namespace {

using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;

// Where the matches' nodes and values are, in terms of nodes.
class Follower {
 public:
  explicit Follower(MatchResult& matches) : matches_(matches) {
    for (const SubgraphMatch& match : matches.matches) {
      const Value* output = match.b.output;
      outputs_.push_back({output->node(), output->offset()});
    }
  }

  void Follow(const absl::flat_hash_map<const Node*, Node*>& replacements) {
    const auto follow = [&](Node*& node) {
      const auto found = replacements.find(node);
      if (found != replacements.end()) {
        node = found->second;
      }
    };
    for (size_t i = 0; i < outputs_.size(); ++i) {
      MatchedSide& side = matches_.matches[i].b;
      follow(side.subgraph.start);
      follow(side.subgraph.end);
      follow(side.subgraph.base);
      for (Node*& node : side.subgraph.nodes) {
        follow(node);
      }
      const auto replaced = replacements.find(outputs_[i].node);
      if (replaced != replacements.end()) {
        side.output = replaced->second->output(outputs_[i].offset);
      }
    }
    for (UnmatchedOp& op : matches_.unmatched_b) {
      follow(op.node);
    }
  }

 private:
  struct Output {
    const Node* node;
    size_t offset;
  };

  MatchResult& matches_;
  std::vector<Output> outputs_;
};

void SetNumerics(Graph& graph, kernels::Numerics numerics) {
  for (const CheckedNode& layer : CheckSaturation(graph)) {
    const std::optional<FbgemmLayer> old = LayerOf(*layer.node);
    if (old->numerics() != numerics) {
      torch::jit::WithInsertPoint in_front(layer.node);
      layer.node->replaceInput(
          1, graph.insertConstant(old->With(numerics).ToIValue()));
    }
  }
}

}  // namespace

absl::StatusOr<LoweringReport> LowerMatched(ModelGraph& b, MatchResult& matches,
                                            kernels::Numerics numerics) {
  Follower follower(matches);
  LowerToFbgemmOptions options;
  options.numerics = numerics;
  options.fuse = false;
  NS_ASSIGN_OR_RETURN(LoweringReport report, LowerToFbgemm(b.graph(), options));
  NS_RETURN_IF_ERROR(CatchTorchErrors("lowering", [&] {
    follower.Follow(report.replacements);
    SetNumerics(b.graph(), numerics);
  }));
  return report;
}

}  // namespace ns
