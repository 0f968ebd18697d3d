#include "passes/matching/subgraph_pairs.h"

#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/string_view.h"
#include "ir/aliasing/data_inputs.h"
#include "ir/graph/node_view.h"
#include "ir/graph/pattern.h"
#include "passes/matching/control_flow_results.h"
#include "passes/matching/folded_constants.h"
#include "passes/ops/op_table.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;

// Takes in the casts around an op that emulates half precision:
// dequantize - linear - relu - to(float16).
void TakeInHalfPrecisionCasts(Subgraph& subgraph) {
  const Value* input = FirstDataInput(*subgraph.start);
  if (input == nullptr) {
    return;
  }
  Node* cast_in = const_cast<Value*>(input)->node();
  std::vector<absl::string_view> ops = {"aten::dequantize"};
  for (const Node* node : subgraph.nodes) {
    ops.push_back(OpName(*node));
  }
  ops.push_back("aten::to");
  const ChainMatch chain = MatchChain(cast_in, ops);
  if (!chain) {
    return;
  }
  if (ConstantDtype(*chain.nodes.back()) == at::ScalarType::Half) {
    subgraph.start = cast_in;
    subgraph.end = chain.nodes.back();
    subgraph.nodes.assign(chain.nodes.begin(), chain.nodes.end());
  }
}

}  // namespace

SubgraphPairs::SubgraphPairs(const MatchableNodes& nodes_a,
                             const MatchableNodes& nodes_b)
    : nodes_a_(nodes_a),
      nodes_b_(nodes_b),
      partner_of_a_(nodes_a.size(), -1),
      partner_of_b_(nodes_b.size(), -1),
      taken_a_(nodes_a.size()),
      taken_b_(nodes_b.size()),
      subgraphs_a_(nodes_a.size()),
      subgraphs_b_(nodes_b.size()),
      ends_a_(nodes_a.size()),
      ends_b_(nodes_b.size()),
      linked_end_(nodes_b.size(), -1) {}

void SubgraphPairs::Append(const Side& side, int base, int next) {
  Subgraph& subgraph = side.subgraphs[base];
  subgraph.end = side.nodes[next].node;
  subgraph.nodes.push_back(subgraph.end);
  side.ends[base] = next;
  side.taken[next] = true;
}

void SubgraphPairs::Begin(int a, int b) {
  partner_of_a_[a] = b;
  partner_of_b_[b] = a;
  taken_a_[a] = taken_b_[b] = true;
  ends_a_[a] = a;
  ends_b_[b] = b;
  for (const auto& [nodes, index, subgraphs] :
       {std::tuple(&nodes_a_, a, &subgraphs_a_),
        std::tuple(&nodes_b_, b, &subgraphs_b_)}) {
    const MatchableNode& matchable = (*nodes)[index];
    Subgraph& subgraph = (*subgraphs)[index];
    subgraph.start = subgraph.end = matchable.node;
    subgraph.base = matchable.base;
    subgraph.nodes.push_back(matchable.node);
  }
}

void SubgraphPairs::MatchChains(const std::vector<int>& a,
                                const std::vector<int>& b) {
  Begin(a.front(), b.front());
  for (size_t i = 1; i < a.size(); ++i) {
    Append(SideA(), a.front(), a[i]);
  }
  for (size_t i = 1; i < b.size(); ++i) {
    Append(SideB(), b.front(), b[i]);
  }
  WrapHalfPrecision(a.front(), b.front());
  LinkOutputs(a.front(), b.front());
}

void SubgraphPairs::Match(int a, int b) {
  Begin(a, b);
  const Side side_a = SideA();
  const Side side_b = SideB();
  // What one side has fused in one module determines what the other takes in.
  ExtendWithinModule(side_a, a);
  ExtendWithinModule(side_b, b);
  ExtendToCommonEnd(a, b);
  LinkOutputs(a, b);
}

void SubgraphPairs::ExtendWithinModule(const Side& side, int base) {
  const ModulePath& path = side.nodes[base].path;
  if (!IsFusedModule(path.type) || IsShapeOp(side.nodes[base])) {
    return;
  }
  // All nodes are taken in: a convolution that is trained with its norm is
  // several ops.
  for (;;) {
    const int next = side.nodes[side.ends[base]].only_user;
    if (next < 0 || side.taken[next] || side.nodes[next].is_control_flow ||
        !(side.nodes[next].path == path)) {
      return;
    }
    Append(side, base, next);
  }
}

bool SubgraphPairs::TakeIn(const Side& side, int base, const Steps& steps,
                           size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (steps[i].nodes.empty()) {
      continue;
    }
    if (side.taken[steps[i].node]) {
      return false;
    }
    for (Node* node : steps[i].nodes) {
      const int index = side.nodes.IndexOf(node);
      if (index >= 0) {
        Append(side, base, index);
      } else {
        side.subgraphs[base].nodes.push_back(node);
      }
    }
  }
  return true;
}

void SubgraphPairs::ExtendToCommonEnd(int a, int b) {
  if (nodes_a_[a].is_control_flow || nodes_b_[b].is_control_flow) {
    return;
  }
  const Steps steps_a = StepsBehind(nodes_a_, a, ends_a_[a]);
  const Steps steps_b = StepsBehind(nodes_b_, b, ends_b_[b]);
  const CommonEnd end = FindCommonEnd({nodes_a_, a, steps_a, &taken_a_},
                                      {nodes_b_, b, steps_b, &taken_b_});
  const bool took_a = TakeIn(SideA(), a, steps_a, end.steps_a);
  const bool took_b = TakeIn(SideB(), b, steps_b, end.steps_b);
  if (!took_a || !took_b || !end.is_same_place) {
    ends_elsewhere_.insert(b);
  }
}

void SubgraphPairs::WrapCasts() {
  for (int b = 0; b < nodes_b_.size(); ++b) {
    const int a = partner_of_b_[b];
    if (a >= 0 && !nodes_b_[b].is_control_flow) {
      WrapHalfPrecision(a, b);
      TakeInFoldedConstants(a, b);
      TakeInQuantize(a, b);
      LinkOutputs(a, b);
    }
  }
}

void SubgraphPairs::TakeInFoldedConstants(int a, int b) {
  if (EndAtSamePlace(b)) {
    TakeInFoldedConstants(SideA(), a, SideB(), b);
    TakeInFoldedConstants(SideB(), b, SideA(), a);
  }
}

void SubgraphPairs::TakeInFoldedConstants(const Side& side, int base,
                                          const Side& other, int other_base) {
  const std::vector<Node*> folded =
      FoldedConstants(side.subgraphs[base], other.subgraphs[other_base]);
  const auto index_of = [&](const Node* node) {
    return side.nodes.IndexOf(node);
  };
  if (folded.empty() || index_of(folded.back()) < 0 ||
      absl::c_any_of(folded, [&](const Node* node) {
        return index_of(node) >= 0 && side.taken[index_of(node)];
      })) {
    return;
  }
  const OpRow* row = side.nodes[index_of(folded.back())].row;
  if (row != nullptr && !row->fused_activation.empty()) {
    const int next = other.nodes[other.ends[other_base]].only_user;
    if (next < 0 || other.taken[next] ||
        other.nodes[next].family != row->fused_activation) {
      return;
    }
    Append(other, other_base, next);
  }
  for (Node* node : folded) {
    if (index_of(node) >= 0) {
      Append(side, base, index_of(node));
    } else {
      side.subgraphs[base].nodes.push_back(node);
    }
  }
}

void SubgraphPairs::TakeInQuantize(int a, int b) {
  const MatchableNode& end_a = nodes_a_[ends_a_[a]];
  const OpRow* row_b = nodes_b_[ends_b_[b]].row;
  if (nodes_a_.quantize_nodes().empty() || end_a.output == nullptr ||
      end_a.row == nullptr || row_b == nullptr ||
      row_b->numerics != Numerics::kInt8 ||
      end_a.row->numerics == Numerics::kInt8 ||
      subgraphs_a_[a].end != end_a.node) {
    return;
  }
  Node* const quantize = OnlyUser(*end_a.output);
  const OpRow* row = quantize == nullptr ? nullptr : FindOp(OpName(*quantize));
  if (row != nullptr && row->role == Role::kQuantize) {
    subgraphs_a_[a].nodes.push_back(quantize);
    subgraphs_a_[a].end = quantize;
  }
}

void SubgraphPairs::WrapHalfPrecision(int a, int b) {
  if (nodes_a_[a].follows_dequantize) {
    TakeInHalfPrecisionCasts(subgraphs_a_[a]);
  }
  if (nodes_b_[b].follows_dequantize) {
    TakeInHalfPrecisionCasts(subgraphs_b_[b]);
  }
}

void SubgraphPairs::LinkOutputs(int a, int b) {
  if (!EndAtSamePlace(b)) {
    return;
  }
  const int end_a = ends_a_[a];
  const int end_b = ends_b_[b];
  const Node* node_a = subgraphs_a_[a].end;
  const Node* node_b = subgraphs_b_[b].end;
  if (node_a == nodes_a_[end_a].node && node_b == nodes_b_[end_b].node &&
      nodes_a_[end_a].has_one_output && nodes_b_[end_b].has_one_output &&
      nodes_a_[end_a].output != nullptr && nodes_b_[end_b].output != nullptr) {
    linked_end_[end_b] = end_a;
    return;
  }
  if (nodes_a_[end_a].is_control_flow && nodes_b_[end_b].is_control_flow) {
    for (const auto& [i, j] : PairResults(*node_a, *node_b)) {
      Link(const_cast<Value*>(node_a->output(i)),
           const_cast<Value*>(node_b->output(j)));
    }
    return;
  }
  const size_t outputs =
      std::min(node_a->outputs().size(), node_b->outputs().size());
  for (size_t i = 0; i < outputs; ++i) {
    Link(const_cast<Value*>(node_a->outputs()[i]),
         const_cast<Value*>(node_b->outputs()[i]));
  }
}

void SubgraphPairs::Link(Value* value_a, Value* value_b) {
  linked_[value_b] = value_a;
}

Value* SubgraphPairs::LinkedA(Value* value_b) const {
  return LinkedA(nodes_b_.SourceOf(value_b)).value;
}

Source SubgraphPairs::LinkedA(const Source& source_b) const {
  const auto it = linked_.find(source_b.value);
  if (it != linked_.end()) {
    return nodes_a_.SourceOf(it->second);
  }
  const int a = source_b.node < 0 ? -1 : linked_end_[source_b.node];
  return a < 0 ? Source() : Source{nodes_a_[a].output, a};
}

}  // namespace ns
