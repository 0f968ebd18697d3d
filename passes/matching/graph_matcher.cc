#include "passes/matching/graph_matcher.h"

#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/base/status.h"
#include "ir/graph/module_path.h"
#include "ir/graph/node_view.h"
#include "llvm/ADT/DenseMap.h"
#include "passes/matching/aligned_matcher.h"
#include "passes/matching/matchable_nodes.h"
#include "passes/matching/quantize_points.h"
#include "passes/matching/side_names.h"
#include "passes/matching/strict_matcher.h"
#include "passes/matching/unpaired_inputs.h"
#include "passes/ops/op_table.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;

// Finds the reason why a node of one model has no partner in the other.
class ReasonFinder {
 public:
  ReasonFinder(const MatchableNodes& other, absl::string_view other_model,
               MatchingMode mode)
      : other_model_(other_model), mode_(mode) {
    for (int i = 0; i < other.size(); ++i) {
      families_.insert(other[i].family);
      if (other[i].weight_shape && !other[i].path.fqn.empty()) {
        shapes_[KeyOf(other[i])].insert(ShapeText(other[i]));
      }
    }
  }

  std::string ReasonFor(const MatchableNode& node) const {
    if (mode_ == MatchingMode::kStrict) {
      return "strict matching did not reach it from the outputs, or steps over "
             "its op";
    }
    if (!families_.contains(node.family)) {
      return absl::StrCat("the ", other_model_, " model has no op of family '",
                          node.family, "'");
    }
    const auto twins = shapes_.find(KeyOf(node));
    if (node.weight_shape && twins != shapes_.end() &&
        twins->second.count(ShapeText(node)) == 0) {
      return absl::StrCat("weight shapes differ: [", ShapeText(node),
                          "] here, [", absl::StrJoin(twins->second, "], ["),
                          "] in the ", other_model_, " model");
    }
    return absl::StrCat("no op of family '", node.family,
                        "' is left at this place of the ", other_model_,
                        " model");
  }

 private:
  // The module path and the family.
  using Key = std::pair<absl::string_view, absl::string_view>;

  static Key KeyOf(const MatchableNode& node) {
    return {node.path.fqn, node.family};
  }

  static std::string ShapeText(const MatchableNode& node) {
    return absl::StrJoin(*node.weight_shape, ", ");
  }

  const absl::string_view other_model_;
  const MatchingMode mode_;
  absl::flat_hash_set<absl::string_view> families_;
  std::map<Key, std::set<std::string>> shapes_;
};

// Turns pairs into the public result: names, order, reasons.
class ResultBuilder {
 public:
  ResultBuilder(const MatchableNodes& a, const MatchableNodes& b,
                SubgraphPairs pairs, const MatchOptions& options)
      : a_(a),
        b_(b),
        pairs_(std::move(pairs)),
        options_(options),
        names_a_(a, std::min(a.size(), b.size())),
        names_b_(b, std::min(a.size(), b.size())),
        unpaired_inputs_(a, b, pairs_) {}

  MatchResult Build() {
    result_.matches.reserve(std::min(a_.size(), b_.size()));
    for (int b = 0; b < b_.size(); ++b) {
      const int a = pairs_.PartnerOfB(b);
      if (a >= 0 && !b_[b].is_control_flow && pairs_.EndAtSamePlace(b)) {
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
    match.a.output = OutputOf(match.a.subgraph, a_[pairs_.EndOfA(a)]);
    match.b.output = OutputOf(match.b.subgraph, b_[pairs_.EndOfB(b)]);
    match.a.fqn = std::string(a_[a].path.fqn);
    match.b.fqn = std::string(b_[b].path.fqn);
    match.unpaired_input = unpaired_inputs_.ReasonFor(a, b);
    match.a.name = names_a_.NameOf(a_[a].path, NamedOp(a_[a]));
    match.b.name = names_b_.NameOf(b_[b].path, NamedOp(b_[b]));
    if (!b_.has_module_names() && a_.has_module_names()) {
      match.b.fqn = match.a.fqn;
      match.b.fqn_inferred = true;
      match.b.name = names_a_.NameOf(a_[a].path, NamedOp(b_[b]));
    } else if (!a_.has_module_names() && b_.has_module_names()) {
      match.a.fqn = match.b.fqn;
      match.a.fqn_inferred = true;
      match.a.name = names_b_.NameOf(b_[b].path, NamedOp(a_[a]));
    }
    return match;
  }

  static absl::string_view NamedOp(const MatchableNode& node) {
    return node.row != nullptr ? node.row->op : OpName(*node.base);
  }

  // Returns the subgraph's output. `last` is its last matchable node, which
  // casts may follow.
  static Value* OutputOf(const Subgraph& subgraph, const MatchableNode& last) {
    return subgraph.end == last.node ? last.output
                                     : ComparedOutput(*subgraph.end);
  }

  void AddQuantizePoints() {
    const std::vector<QuantizePoint> points =
        FindQuantizePoints(a_, b_, pairs_, unpaired_inputs_);
    if (points.empty()) {
      return;
    }
    for (size_t i = 0; i < result_.matches.size(); ++i) {
      by_output_a_[result_.matches[i].a.output] = static_cast<int>(i);
    }
    for (const QuantizePoint& point : points) {
      const ModulePath path = ModulePathOf(*point.node);
      if (point.value_a == nullptr) {
        result_.unmatched_b.push_back(
            {point.node, std::string(path.fqn), std::string(point.reason)});
        continue;
      }
      SubgraphMatch match;
      match.is_quantize_point = true;
      match.b.subgraph = {point.node, point.node, point.node, {point.node}};
      match.b.output = point.node->output();
      match.b.fqn = std::string(path.fqn);
      match.a = FloatSideOf(point.value_a);
      match.a.compared_in = point.block_a;
      // Quantize points are named last, since a producer's name is part of
      // theirs.
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
    // Matches and quantize points are each in order already, and are merged
    // here.
    std::vector<SubgraphMatch>& matches = result_.matches;
    const auto points = std::find_if(
        matches.begin(), matches.end(),
        [](const SubgraphMatch& match) { return match.is_quantize_point; });
    std::inplace_merge(matches.begin(), points, matches.end(),
                       [](const SubgraphMatch& x, const SubgraphMatch& y) {
                         return RunsBefore(*x.b.subgraph.base,
                                           *y.b.subgraph.base);
                       });
    const bool has_points = !producer_of_.empty();
    for (SubgraphMatch& match : result_.matches) {
      if (match.is_quantize_point) {
        match.b.name = QuantizeName(*match.b.subgraph.base);
        match.a.name = a_.has_module_names() || !b_.has_module_names()
                           ? names_a_.NameOfQuantized(*BeforeQuantize(match.a))
                           : match.b.name;
      }
      // The quantized value of A gets the name of the match that makes it.
      match.a.name = names_a_.Take(
          match.a.name,
          has_points && !match.is_quantize_point ? match.a.output : nullptr);
      match.b.name =
          names_b_.Take(match.b.name, has_points ? match.b.output : nullptr);
      match.name =
          options_.naming == LayerNaming::kByA ? match.a.name : match.b.name;
    }
  }

  // Returns what is quantized: of a quantized model, not what a quantize node
  // makes of it.
  static const Value* BeforeQuantize(const MatchedSide& side) {
    const Node* base = side.subgraph.base;
    const OpRow* row = base == nullptr ? nullptr : FindOp(OpName(*base));
    return row != nullptr && row->role == Role::kQuantize ? base->input(0)
                                                          : side.output;
  }

  std::string QuantizeName(const Node& quantize) const {
    const ModulePath path = ModulePathOf(quantize);
    std::string name = names_b_.NameOf(path, OpName(quantize));
    return name == path.fqn
               ? name
               : names_b_.NameOfQuantized(*producer_of_.lookup(&quantize));
  }

  void AddUnmatched(const MatchableNodes& nodes, const MatchableNodes& other,
                    bool is_a, std::vector<UnmatchedOp>& unmatched) const {
    std::vector<int> left;
    for (int i = 0; i < nodes.size(); ++i) {
      if (nodes[i].is_control_flow || nodes[i].is_unmatchable) {
        continue;
      }
      if (!(is_a ? pairs_.IsTakenA(i) : pairs_.IsTakenB(i))) {
        left.push_back(i);
        continue;
      }
      const int b = is_a ? pairs_.PartnerOfA(i) : i;
      if (b >= 0 && !pairs_.EndAtSamePlace(b)) {
        unmatched.push_back(
            {nodes[i].base, std::string(nodes[i].path.fqn),
             "one model has fused an activation or a norm into it that the "
             "other does not compute at this place"});
      }
    }
    if (!left.empty()) {
      const ReasonFinder reasons(other, is_a ? "quantized" : "float",
                                 options_.mode);
      for (int i : left) {
        unmatched.push_back({nodes[i].base, std::string(nodes[i].path.fqn),
                             reasons.ReasonFor(nodes[i])});
      }
    }
    std::stable_sort(unmatched.begin(), unmatched.end(),
                     [](const UnmatchedOp& x, const UnmatchedOp& y) {
                       return x.node != y.node && RunsBefore(*x.node, *y.node);
                     });
  }

  const MatchableNodes& a_;
  const MatchableNodes& b_;
  SubgraphPairs pairs_;
  const MatchOptions& options_;
  SideNames names_a_;
  SideNames names_b_;
  const UnpairedInputs unpaired_inputs_;
  MatchResult result_;
  llvm::DenseMap<const Value*, int> by_output_a_;
  llvm::DenseMap<const Node*, const Value*> producer_of_;
};

// Returns an error for callees that the user related, and that are leaves of
// neither model.
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

// Returns an error for module types and functions that are not to be matched,
// and that neither model has.
absl::Status CheckUnmatchableCallees(const UnmatchableOps& unmatchable,
                                     const MatchableNodes& a,
                                     const MatchableNodes& b) {
  for (const std::string& name : unmatchable.Callees()) {
    const auto has_it = [&](const MatchableNodes& nodes) {
      for (int i = 0; i < nodes.size(); ++i) {
        if (IsTypeNamed(nodes[i].path.type, name) ||
            (IsLeafCall(*nodes[i].base) &&
             IsTypeNamed(OpName(*nodes[i].base), name))) {
          return true;
        }
      }
      return false;
    };
    if (!has_it(a) && !has_it(b)) {
      return absl::NotFoundError(absl::StrCat(
          "'", name,
          "' is not to be matched, and neither model has an op of such a "
          "module or calls such a function; frozen files have lost the types "
          "of modules: name operators there, as aten::relu"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<MatchResult> MatchSubgraphs(const ModelGraph& a,
                                           const ModelGraph& b,
                                           const MatchOptions& options) {
  using OtherModel = MatchableNodes::OtherModel;
  const auto as_other = [](const ModelGraph& model) {
    return HasModulePaths(model.graph()) ? OtherModel::kHasPaths
                                         : OtherModel::kHasNoPaths;
  };
  const MatchableNodes nodes_a(a.graph(), options.relations, as_other(b),
                               options.unmatchable);
  const MatchableNodes nodes_b(b.graph(), options.relations, as_other(a),
                               options.unmatchable);
  NS_RETURN_IF_ERROR(CheckRelatedCallees(options.relations, nodes_a, nodes_b));
  NS_RETURN_IF_ERROR(
      CheckUnmatchableCallees(options.unmatchable, nodes_a, nodes_b));
  const auto match = [&]() -> absl::StatusOr<SubgraphPairs> {
    if (options.mode == MatchingMode::kStrict) {
      return MatchInStep(a.graph(), nodes_a, b.graph(), nodes_b);
    }
    return AlignGraphs(a.graph(), nodes_a, b.graph(), nodes_b);
  };
  NS_ASSIGN_OR_RETURN(SubgraphPairs pairs, match());
  return ResultBuilder(nodes_a, nodes_b, std::move(pairs), options).Build();
}

}  // namespace ns
