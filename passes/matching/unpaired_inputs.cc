#include "passes/matching/unpaired_inputs.h"

#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ir/aliasing/data_inputs.h"
#include "ir/graph/module_path.h"
#include "ir/graph/node_view.h"
#include "passes/matching/value_keeping.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;

// Returns "'layer1.conv' (aten::conv2d)".
std::string Describe(const MatchableNode& matchable) {
  const std::string name = CallName(matchable.path);
  return absl::StrCat("'", name.empty() ? NodeName(*matchable.node) : name,
                      "' (", OpName(*matchable.base), ")");
}

std::string Reason(absl::string_view model, const MatchableNode& producer,
                   absl::string_view other_model) {
  return absl::StrCat("its input in the ", model, " model comes from ",
                      Describe(producer), ", which has no counterpart in the ",
                      other_model, " model");
}

}  // namespace

UnpairedInputs::UnpairedInputs(const MatchableNodes& nodes_a,
                               const MatchableNodes& nodes_b,
                               const SubgraphPairs& pairs)
    : pairs_(pairs),
      a_{nodes_a, std::vector<int>(nodes_a.size(), -1)},
      b_{nodes_b, std::vector<int>(nodes_b.size(), -1)} {
  for (int b = 0; b < nodes_b.size(); ++b) {
    const int a = pairs.PartnerOfB(b);
    if (a >= 0) {
      a_.base_of_end[pairs.EndOfA(a)] = a;
      b_.base_of_end[pairs.EndOfB(b)] = b;
    }
  }
}

UnpairedInputs::Producer UnpairedInputs::ProducerOf(const Side& side,
                                                    Value* value,
                                                    bool is_a) const {
  const torch::jit::Block* block = value->node()->owningBlock();
  while (value != nullptr) {
    const Node& node = *value->node();
    if (node.kind() == c10::prim::Param) {
      const bool is_input = node.owningBlock()->owningNode() == nullptr;
      return {is_input ? Kind::kInput : Kind::kUnknown, -1};
    }
    if (node.owningBlock() != block || !node.blocks().empty() ||
        (IsTensorList(*value) && IsWrittenTo(*value))) {
      return {};
    }
    const int index = side.nodes.IndexOf(&node);
    if (index >= 0) {
      const int base = side.base_of_end[index];
      if (base >= 0) {
        const int b = is_a ? pairs_.PartnerOfA(base) : base;
        return {pairs_.EndAtSamePlace(b) ? Kind::kPaired : Kind::kElsewhere,
                base};
      }
      if (is_a ? pairs_.IsTakenA(index) : pairs_.IsTakenB(index)) {
        return {};
      }
    }
    if (!MovesOrKeepsValues(node)) {
      // The graph does not tell which of several outputs it is.
      return index >= 0 && side.nodes[index].has_one_output
                 ? Producer{Kind::kUnmatched, index}
                 : Producer{};
    }
    value = FirstDataInput(node);
  }
  return {};
}

std::vector<UnpairedInputs::Producer> UnpairedInputs::ProducersOf(
    const Side& side, const std::vector<Value*>& values, bool is_a) const {
  std::vector<Producer> producers;
  for (Value* value : values) {
    producers.push_back(ProducerOf(side, value, is_a));
  }
  return producers;
}

// Whether all inputs are linked. Most are, and then nobody needs to look where
// they come from.
bool UnpairedInputs::AreLinked(const std::vector<Value*>& a,
                               const std::vector<Value*>& b) const {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(),
                    [&](Value* x, Value* y) { return pairs_.LinkedA(y) == x; });
}

bool UnpairedInputs::MayCorrespond(const Producer& a, const Producer& b) const {
  if (a.kind == Kind::kUnknown || b.kind == Kind::kUnknown) {
    return true;
  }
  return a.kind == b.kind && a.kind != Kind::kElsewhere &&
         (a.kind != Kind::kPaired || pairs_.PartnerOfB(b.node) == a.node);
}

std::string UnpairedInputs::ReasonFor(int a, int b) const {
  const std::vector<Value*> inputs_a = DataInputsOf(a_.nodes[a]);
  const std::vector<Value*> inputs_b = DataInputsOf(b_.nodes[b]);
  if (inputs_a.empty() || inputs_b.empty() || AreLinked(inputs_a, inputs_b)) {
    return "";
  }
  const std::vector<Producer> of_a = ProducersOf(a_, inputs_a, /*is_a=*/true);
  const std::vector<Producer> of_b = ProducersOf(b_, inputs_b, /*is_a=*/false);
  // The operands of a sum may be exchanged.
  for (const Producer& x : of_a) {
    if (x.kind == Kind::kUnmatched && absl::c_none_of(of_b, [&](const auto& y) {
          return MayCorrespond(x, y);
        })) {
      return Reason("float", a_.nodes[x.node], "quantized");
    }
  }
  for (const Producer& y : of_b) {
    if (absl::c_any_of(of_a,
                       [&](const auto& x) { return MayCorrespond(x, y); })) {
      continue;
    }
    return y.kind == Kind::kUnmatched
               ? Reason("quantized", b_.nodes[y.node], "float")
           : y.kind == Kind::kElsewhere
               ? absl::StrCat("its input comes from ",
                              Describe(b_.nodes[y.node]),
                              ", into which one model has fused what the other "
                              "does not compute there")
               : "its input comes from other layers in the float model";
  }
  return "";
}

}  // namespace ns
