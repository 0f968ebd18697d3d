#include "ns/suite/result_of_matches.h"

#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/base/status.h"
#include "ir/graph/node_view.h"
#include "ir/graph/source_line.h"
#include "llvm/ADT/DenseMap.h"
#include "ns/suite/check_related.h"
#include "passes/analysis/subgraph.h"
#include "passes/matching/matches/match_producers.h"
#include "passes/matching/matches/matched_outputs.h"
#include "passes/matching/matches/replaced_inputs.h"
#include "passes/ops/op_relations.h"
#include "passes/quantization/layers/float_subgraphs.h"

namespace ns {
namespace {

using ::torch::jit::Node;

LayerSide DescribeSide(const MatchedSide& side) {
  LayerSide description;
  description.fqn = side.fqn;
  description.fqn_inferred = side.fqn_inferred;
  if (side.subgraph.base != nullptr) {
    description.op = OpOf(side.subgraph);
  }
  for (const Node* node : side.subgraph.nodes) {
    description.subgraph.push_back(node == side.subgraph.start &&
                                           node->kind() == c10::prim::If
                                       ? description.op
                                       : std::string(OpName(*node)));
  }
  return description;
}

// The names of the layers that quantizing the float model would find, by their
// base ops.
using FloatLayers = llvm::DenseMap<const Node*, std::string>;

FloatLayers FloatLayersOf(const ModelGraph& float_model) {
  FloatLayers names;
  for (const FloatSubgraph& layer :
       FindFloatSubgraphs(float_model.graph(), {}, FusingOps::kLibTorch)) {
    names[layer.subgraph.base] = layer.name;
  }
  return names;
}

LayerComparison DescribeLayer(const SubgraphMatch& match,
                              const FloatLayers& float_layers) {
  LayerComparison layer;
  layer.name = match.name;
  layer.float_side = DescribeSide(match.a);
  layer.quantized_side = DescribeSide(match.b);
  if (const Node* const base = match.a.subgraph.base) {
    layer.family = std::string(OpRelations().FamilyOf(*base));
    if (!match.is_quantize_point) {
      layer.float_layer = float_layers.lookup(base);
    }
  }
  layer.output = MatchedOutputs(match).front().name;
  layer.unpaired_input = match.unpaired_input;
  return layer;
}

std::vector<UnmatchedNode> DescribeUnmatched(
    const std::string& model, const std::vector<UnmatchedOp>& unmatched) {
  std::vector<UnmatchedNode> nodes;
  nodes.reserve(unmatched.size());
  for (const UnmatchedOp& op : unmatched) {
    nodes.push_back({model, op.fqn, std::string(OpName(*op.node)), op.reason});
  }
  return nodes;
}

}  // namespace

absl::StatusOr<ComparisonResult> ResultOfMatches(
    const ModelGraph& float_model, const ModelGraph& quantized_model,
    const MatchResult& matches, const MatchOptions& options) {
  ComparisonResult result;
  NS_ASSIGN_OR_RETURN(result.warnings,
                      CheckRelated(float_model, quantized_model, matches));
  result.matching =
      options.mode == MatchingMode::kStrict ? "strict" : "aligned";
  std::vector<Producers> producers =
      ProducersOf(quantized_model.graph(), matches);
  std::vector<std::string> replaced = ReplacedInputs(matches);
  const FloatLayers float_layers = FloatLayersOf(float_model);
  for (size_t i = 0; i < matches.matches.size(); ++i) {
    result.layers.push_back(DescribeLayer(matches.matches[i], float_layers));
    LayerComparison& layer = result.layers.back();
    layer.producers = std::move(producers[i].matches);
    layer.producers_are_compared = producers[i].are_compared;
    layer.replaced_input = std::move(replaced[i]);
  }
  result.unmatched = DescribeUnmatched("float", matches.unmatched_a);
  std::vector<UnmatchedNode> of_quantized =
      DescribeUnmatched("quantized", matches.unmatched_b);
  std::move(of_quantized.begin(), of_quantized.end(),
            std::back_inserter(result.unmatched));
  return result;
}

void DescribeSources(const MatchResult& matches, ComparisonResult& result) {
  const auto source_of = [](const MatchedSide& side) {
    const Node* const base = side.subgraph.base;
    return base == nullptr ? std::nullopt : SourceLineOf(*base);
  };
  for (size_t i = 0; i < matches.matches.size(); ++i) {
    LayerComparison& layer = result.layers[i];
    layer.float_side.source = source_of(matches.matches[i].a);
    layer.quantized_side.source = source_of(matches.matches[i].b);
  }
}

}  // namespace ns
