#include "passes/quantization/layers/float_subgraphs.h"

#include <torch/csrc/jit/ir/ir.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "ir/graph/module_path.h"
#include "ir/graph/node_view.h"
#include "passes/matching/layer_names.h"
#include "passes/matching/matchable_nodes.h"
#include "passes/ops/fusion_patterns.h"
#include "passes/ops/op_families.h"
#include "passes/ops/op_table.h"
#include "passes/quantization/layers/fx_forms.h"

namespace ns {
namespace {

constexpr absl::string_view kBatchNorm = "batch_norm";
constexpr absl::string_view kDropout = "dropout";

bool IsQuantizable(const MatchableNode& node) {
  if (node.is_control_flow || node.output == nullptr ||
      node.family == kDropout) {
    return false;
  }
  return node.row == nullptr ||
         (node.row->role == Role::kCompute && !IsQuantizedOp(*node.row));
}

// True when the quantized op of the family `base` also computes `next`, which
// comes after `previous`.
bool IsTakenIn(absl::string_view base, const MatchableNode& previous,
               const MatchableNode& next, FusingOps fusing) {
  if (!FusesWith(base, previous.family, next.family)) {
    return false;
  }
  const OpFamily* family = FindFamily(base);
  if (next.family == kBatchNorm) {
    return fusing == FusingOps::kAll;
  }
  if (fusing == FusingOps::kFx && !FusesReluInFx(*previous.node, *next.node)) {
    return false;
  }
  return absl::c_any_of(OpsOf(*family), [&](const FamilyOp& op) {
    // Ops of some releases alone, such as linear_tanh, are kernels of one
    // engine that no layer is quantized to.
    return op.releases == Releases::kAll &&
           FindOp(op.op)->fused_activation == next.family &&
           (fusing == FusingOps::kAll || !IsLoweredOp(op.op));
  });
}

}  // namespace

std::vector<FloatSubgraph> FindFloatSubgraphs(torch::jit::Graph& graph,
                                              const OpRelations& relations,
                                              FusingOps fusing) {
  const MatchableNodes nodes(graph, relations);
  const LayerNames names(nodes);
  UniqueNames unique;
  // The number of ops so far, by their module and op.
  std::map<std::pair<std::string, std::string>, int> orders;
  std::vector<bool> taken(nodes.size());
  std::vector<FloatSubgraph> subgraphs;
  for (int i = 0; i < nodes.size(); ++i) {
    const MatchableNode& node = nodes[i];
    if (taken[i] || !IsQuantizable(node)) {
      continue;
    }
    FloatSubgraph found;
    found.id = LayerId(static_cast<int64_t>(subgraphs.size()));
    found.subgraph = {node.node, node.node, node.base, {node.node}};
    int end = i;
    for (int next = node.only_user;
         next >= 0 && !nodes[next].is_control_flow &&
         IsTakenIn(node.family, nodes[end], nodes[next], fusing);
         next = nodes[end].only_user) {
      taken[next] = true;
      found.subgraph.end = nodes[next].node;
      found.subgraph.nodes.push_back(nodes[next].node);
      end = next;
    }
    found.output = nodes[end].output;
    const absl::string_view op = OpName(*node.base);
    found.name = unique.Take(names.NameOf(node.path, op));
    found.op = std::string(op);
    found.family = std::string(node.family);
    found.fqn = std::string(node.path.fqn);
    found.module_type = std::string(node.path.type);
    found.order = orders[{found.fqn, found.op}]++;
    subgraphs.push_back(std::move(found));
  }
  return subgraphs;
}

const FloatSubgraph& LayerOf(const std::vector<FloatSubgraph>& layers,
                             LayerId id) {
  return layers[static_cast<size_t>(id.number())];
}

void MarkLayers(const std::vector<FloatSubgraph>& layers) {
  for (const FloatSubgraph& layer : layers) {
    SetLayerId(*layer.subgraph.base, layer.id);
  }
}

}  // namespace ns
