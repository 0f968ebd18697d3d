#include "passes/matching/matches/replaced_inputs.h"

#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ir/aliasing/data_inputs.h"
#include "ir/graph/module_path.h"
#include "ir/graph/node_view.h"
#include "llvm/ADT/DenseSet.h"
#include "passes/analysis/subgraph.h"
#include "passes/matching/value_keeping.h"
#include "passes/ops/op_table.h"

namespace ns {
namespace {

using ::torch::jit::Block;
using ::torch::jit::Node;
using ::torch::jit::Value;
using Nodes = llvm::DenseSet<const Node*>;

// One of the two models.
struct Side {
  absl::string_view name;
  Nodes matched;
  Nodes unmatched;
};

// Where the inputs of an op come from: the first ops without a counterpart.
struct Origin {
  // One that computes something.
  const Node* maker = nullptr;
  // One on the way that pads, cuts or reorders.
  const Node* rearranger = nullptr;
};

// True for ops that move elements so that other values come out without them.
// Reshapes, which may change the rank, keep all elements in their order.
bool Rearranges(const Node& node) {
  const OpRow* row = FindOp(OpName(node));
  return row != nullptr && row->role == Role::kShape &&
         (row->family_row->facts.rank == OutputRank::kAsInput ||
          row->family_row->facts.rank == OutputRank::kThreeOrMore);
}

// Adds what `value` comes from to `origin`.
void Trace(const Side& side, Value* value, Origin& origin) {
  const Block* block = value->node()->owningBlock();
  while (value != nullptr) {
    const Node& node = *value->node();
    if (node.kind() == c10::prim::Param || node.owningBlock() != block ||
        !node.blocks().empty() || side.matched.contains(&node)) {
      return;
    }
    const bool is_unmatched = side.unmatched.contains(&node);
    if (!MovesOrKeepsValues(node)) {
      // Which of several outputs it is the graph does not tell.
      if (is_unmatched && node.outputs().size() == 1 &&
          origin.maker == nullptr) {
        origin.maker = &node;
      }
      return;
    }
    if (is_unmatched && Rearranges(node) && origin.rearranger == nullptr) {
      origin.rearranger = &node;
    }
    value = FirstDataInput(node);
  }
}

Origin OriginOf(const Side& side, const std::vector<Value*>& inputs) {
  Origin origin;
  for (Value* input : inputs) {
    Trace(side, input, origin);
  }
  return origin;
}

std::string Describe(const Node& node) {
  const std::string name = CallName(ModulePathOf(node));
  return absl::StrCat("'", name.empty() ? NodeName(node) : name, "' (",
                      OpName(node), ")");
}

std::string Rearranged(const Side& side, const Node& rearranger,
                       const Side& other) {
  return absl::StrCat("its input in the ", side.name, " model goes through ",
                      Describe(rearranger),
                      ", which has no counterpart in the ", other.name,
                      " model");
}

Side SideOf(absl::string_view name, const MatchResult& matches,
            const MatchedSide SubgraphMatch::*matched_side,
            const std::vector<UnmatchedOp>& unmatched) {
  Side side;
  side.name = name;
  for (const SubgraphMatch& match : matches.matches) {
    if (!match.is_quantize_point) {
      const auto& nodes = (match.*matched_side).subgraph.nodes;
      side.matched.insert(nodes.begin(), nodes.end());
    }
  }
  for (const UnmatchedOp& op : unmatched) {
    side.unmatched.insert(op.node);
  }
  return side;
}

std::string ReasonOf(const Side& side_a, const Side& side_b,
                     const SubgraphMatch& match) {
  if (!match.unpaired_input.empty()) {
    return "";
  }
  const Node* const point =
      match.is_quantize_point ? match.b.subgraph.base : nullptr;
  const Origin a =
      OriginOf(side_a, point != nullptr ? std::vector<Value*>{match.a.output}
                                        : DataInputsOf(match.a.subgraph));
  const Origin b = OriginOf(
      side_b, point != nullptr
                  ? std::vector<Value*>{const_cast<Value*>(point->input(0))}
                  : DataInputsOf(match.b.subgraph));
  if (a.rearranger != nullptr && b.rearranger == nullptr) {
    return Rearranged(side_a, *a.rearranger, side_b);
  }
  if (b.rearranger != nullptr && a.rearranger == nullptr) {
    return Rearranged(side_b, *b.rearranger, side_a);
  }
  return a.maker == nullptr || b.maker == nullptr
             ? ""
             : absl::StrCat("its input comes from ", Describe(*a.maker),
                            " in the ", side_a.name, " model and from ",
                            Describe(*b.maker), " in the ", side_b.name,
                            " model");
}

}  // namespace

std::vector<std::string> ReplacedInputs(const MatchResult& matches) {
  std::vector<std::string> reasons(matches.matches.size());
  if (matches.unmatched_a.empty() && matches.unmatched_b.empty()) {
    return reasons;
  }
  const Side side_a =
      SideOf("float", matches, &SubgraphMatch::a, matches.unmatched_a);
  const Side side_b =
      SideOf("quantized", matches, &SubgraphMatch::b, matches.unmatched_b);
  for (size_t i = 0; i < reasons.size(); ++i) {
    reasons[i] = ReasonOf(side_a, side_b, matches.matches[i]);
  }
  return reasons;
}

}  // namespace ns
