#include "passes/matching/graph_matcher.h"

#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/module_path.h"
#include "ir/node_view.h"
#include "ir/status.h"
#include "passes/matching/aligned_matcher.h"
#include "passes/matching/layer_names.h"
#include "passes/matching/matchable_nodes.h"
#include "passes/matching/quantize_points.h"
#include "passes/matching/strict_matcher.h"

namespace ns {
namespace {

using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;

// Turns pairs into the public result: names, order, reasons.
class ResultBuilder {
 public:
  ResultBuilder(Graph& graph_b, const MatchableNodes& a,
                const MatchableNodes& b, SubgraphPairs pairs, MatchingMode mode)
      : graph_b_(graph_b),
        a_(a),
        b_(b),
        pairs_(std::move(pairs)),
        mode_(mode),
        names_a_(a),
        names_b_(b) {}

  MatchResult Build() {
    for (int b = 0; b < b_.size(); ++b) {
      const int a = pairs_.PartnerOfB(b);
      if (a >= 0 && !b_[b].is_control_flow) {
        result_.matches.push_back(MatchOf(a, b));
      }
    }
    AddQuantizePoints();
    NameInOrder();
    AddUnmatched(a_, b_, /*is_a=*/true, result_.unmatched_a);
    AddUnmatched(b_, a_, /*is_a=*/false, result_.unmatched_b);
    return std::move(result_);
  }

 private:
  SubgraphMatch MatchOf(int a, int b) {
    SubgraphMatch match;
    match.a.subgraph = pairs_.TakeSubgraphOfA(a);
    match.b.subgraph = pairs_.TakeSubgraphOfB(b);
    match.a.output = ComparedOutput(*match.a.subgraph.end);
    match.b.output = ComparedOutput(*match.b.subgraph.end);
    match.a.fqn = std::string(a_[a].path.fqn);
    match.b.fqn = std::string(b_[b].path.fqn);
    match.name = names_b_.NameOf(b_[b].path, OpName(*b_[b].base));
    if (!b_.has_module_names() && a_.has_module_names()) {
      match.b.fqn = match.a.fqn;
      match.b.fqn_inferred = true;
      match.name = names_a_.NameOf(a_[a].path, OpName(*b_[b].base));
    } else if (!a_.has_module_names() && b_.has_module_names()) {
      match.a.fqn = match.b.fqn;
      match.a.fqn_inferred = true;
    }
    by_output_a_[match.a.output] = static_cast<int>(result_.matches.size());
    return match;
  }

  void AddQuantizePoints() {
    for (const QuantizePoint& point :
         FindQuantizePoints(graph_b_, a_, b_, pairs_)) {
      const ModulePath path = ModulePathOf(*point.node);
      if (point.value_a == nullptr) {
        result_.unmatched_b.push_back(
            {point.node, std::string(path.fqn),
             "no value of the float model corresponds to what it quantizes"});
        continue;
      }
      SubgraphMatch match;
      match.is_quantize_point = true;
      match.b.subgraph = {point.node, point.node, point.node, {point.node}};
      match.b.output = point.node->output();
      match.b.fqn = std::string(path.fqn);
      match.a = FloatSideOf(point.value_a);
      // Named after the others are: a producer's name is part of it.
      producer_of_[point.node] = point.source;
      result_.matches.push_back(std::move(match));
    }
  }

  MatchedSide FloatSideOf(Value* value) const {
    MatchedSide side;
    side.output = value;
    const auto it = by_output_a_.find(value);
    if (it != by_output_a_.end()) {
      const MatchedSide& matched = result_.matches[it->second].a;
      side.subgraph = matched.subgraph;
      side.fqn = matched.fqn;
      side.fqn_inferred = matched.fqn_inferred;
    } else if (value->node()->kind() != c10::prim::Param) {
      Node* node = value->node();
      side.subgraph = {node, node, node, {node}};
      side.fqn = std::string(ModulePathOf(*node).fqn);
    }
    return side;
  }

  void NameInOrder() {
    // Matches and quantize points are each in order already.
    std::vector<SubgraphMatch>& matches = result_.matches;
    const auto points = std::find_if(
        matches.begin(), matches.end(),
        [](const SubgraphMatch& match) { return match.is_quantize_point; });
    std::inplace_merge(matches.begin(), points, matches.end(),
                       [](const SubgraphMatch& x, const SubgraphMatch& y) {
                         return RunsBefore(*x.b.subgraph.base,
                                           *y.b.subgraph.base);
                       });
    UniqueNames unique;
    absl::flat_hash_map<const Value*, std::string> name_of_output;
    for (SubgraphMatch& match : result_.matches) {
      if (match.is_quantize_point) {
        match.name = QuantizeName(*match.b.subgraph.base, name_of_output);
      }
      match.name = unique.Take(match.name);
      if (!producer_of_.empty()) {
        name_of_output[match.b.output] = match.name;
      }
    }
  }

  std::string QuantizeName(
      const Node& quantize,
      const absl::flat_hash_map<const Value*, std::string>& name_of_output) {
    const ModulePath path = ModulePathOf(quantize);
    std::string name = names_b_.NameOf(path, OpName(quantize));
    if (name == path.fqn) {
      return name;
    }
    const Value* source = producer_of_.at(&quantize);
    const auto producer = name_of_output.find(source);
    return absl::StrCat(producer != name_of_output.end() ? producer->second
                                                         : ValueName(*source),
                        ".quantize");
  }

  void AddUnmatched(const MatchableNodes& nodes, const MatchableNodes& other,
                    bool is_a, std::vector<UnmatchedOp>& unmatched) const {
    absl::flat_hash_set<absl::string_view> families;
    absl::flat_hash_map<absl::string_view, std::string> other_shapes;
    for (int i = 0; i < other.size(); ++i) {
      families.insert(other[i].family);
      if (other[i].weight_shape) {
        other_shapes[other[i].path.fqn] =
            absl::StrJoin(*other[i].weight_shape, ", ");
      }
    }
    for (int i = 0; i < nodes.size(); ++i) {
      const MatchableNode& node = nodes[i];
      if ((is_a ? pairs_.IsTakenA(i) : pairs_.IsTakenB(i)) ||
          node.is_control_flow) {
        continue;
      }
      const absl::string_view model = is_a ? "quantized" : "float";
      std::string reason;
      const auto twin = other_shapes.find(node.path.fqn);
      if (mode_ == MatchingMode::kStrict) {
        reason =
            "strict matching did not reach it from the outputs, or steps over "
            "its op";
      } else if (!families.contains(node.family)) {
        reason = absl::StrCat("the ", model, " model has no op of family '",
                              node.family, "'");
      } else if (node.weight_shape && twin != other_shapes.end() &&
                 twin->second != absl::StrJoin(*node.weight_shape, ", ")) {
        reason = absl::StrCat(
            "weight shapes differ: [", absl::StrJoin(*node.weight_shape, ", "),
            "] here, [", twin->second, "] in the ", model, " model");
      } else {
        reason =
            absl::StrCat("no op of family '", node.family,
                         "' is left at this place of the ", model, " model");
      }
      unmatched.push_back(
          {node.base, std::string(node.path.fqn), std::move(reason)});
    }
    std::stable_sort(unmatched.begin(), unmatched.end(),
                     [](const UnmatchedOp& x, const UnmatchedOp& y) {
                       return x.node != y.node && RunsBefore(*x.node, *y.node);
                     });
  }

  Graph& graph_b_;
  const MatchableNodes& a_;
  const MatchableNodes& b_;
  SubgraphPairs pairs_;
  const MatchingMode mode_;
  const LayerNames names_a_;
  const LayerNames names_b_;
  MatchResult result_;
  absl::flat_hash_map<const Value*, int> by_output_a_;
  absl::flat_hash_map<const Node*, const Value*> producer_of_;
};

// Callees that the user related, and that are leaves of neither model.
absl::Status CheckRelatedCallees(const OpRelations& relations,
                                 const MatchableNodes& a,
                                 const MatchableNodes& b) {
  for (const std::string& name : relations.RelatedCallees()) {
    const auto is_called = [&](const MatchableNodes& nodes) {
      for (int i = 0; i < nodes.size(); ++i) {
        if (IsLeafCall(*nodes[i].base) &&
            IsTypeNamed(OpName(*nodes[i].base), name)) {
          return true;
        }
      }
      return false;
    };
    if (!is_called(a) && !is_called(b)) {
      return absl::NotFoundError(absl::StrCat(
          "'", name,
          "' is related, and neither model calls it as a leaf; load the models "
          "with it as a leaf, or correct the relation"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<MatchResult> MatchSubgraphs(const ModelGraph& a,
                                           const ModelGraph& b,
                                           const MatchOptions& options) {
  const MatchableNodes nodes_a(a.graph(), options.relations);
  const MatchableNodes nodes_b(b.graph(), options.relations);
  NS_RETURN_IF_ERROR(CheckRelatedCallees(options.relations, nodes_a, nodes_b));
  const auto match = [&]() -> absl::StatusOr<SubgraphPairs> {
    if (options.mode == MatchingMode::kStrict) {
      return MatchInStep(a.graph(), nodes_a, b.graph(), nodes_b);
    }
    return AlignGraphs(a.graph(), nodes_a, b.graph(), nodes_b);
  };
  NS_ASSIGN_OR_RETURN(SubgraphPairs pairs, match());
  return ResultBuilder(b.graph(), nodes_a, nodes_b, std::move(pairs),
                       options.mode)
      .Build();
}

}  // namespace ns
