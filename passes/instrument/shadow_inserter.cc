#include "passes/instrument/shadow_inserter.h"

#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/base/status.h"
#include "ir/graph/insert_op.h"
#include "ir/graph/node_view.h"
#include "ir/model/attach_attribute.h"
#include "passes/instrument/overlapping_inputs.h"
#include "passes/instrument/shadow_inputs.h"
#include "passes/matching/matches/matched_outputs.h"
#include "passes/ops/op_table.h"
#include "passes/rewrite/tensor_in.h"

namespace ns {
namespace {

using ::torch::jit::Block;
using ::torch::jit::Node;
using ::torch::jit::Value;

constexpr char kGuardPrefix[] = "ns_shadow_guard_";

// Whether the value of A at a quantize point is what a quantize node of A gives
// (QuantizePoint::value_a): its copy then quantizes B's input as A does.
bool IsQuantizedIn(const MatchedSide& side) {
  const Node* base = side.subgraph.base;
  const OpRow* row = base == nullptr ? nullptr : FindOp(OpName(*base));
  return row != nullptr && row->role == Role::kQuantize;
}

std::vector<Node*> NodesWithBlocks(Block& block) {
  std::vector<Node*> nodes;
  for (Node* node : block.nodes()) {
    if (!node->blocks().empty()) {
      nodes.push_back(node);
    }
  }
  return nodes;
}

// Adds the conditions of the prim::Ifs that `original` is or holds, with those
// of the same ones in `shadowed`.
void AddConditions(Node& original, Node& shadowed,
                   ValueCounterparts& counterparts) {
  const size_t blocks = original.blocks().size();
  if (original.kind() != shadowed.kind() ||
      blocks != shadowed.blocks().size()) {
    return;
  }
  if (original.kind() == c10::prim::If) {
    counterparts[original.input(0)] = shadowed.input(0);
  }
  for (size_t i = 0; i < blocks; ++i) {
    const auto of_original = NodesWithBlocks(*original.blocks()[i]);
    const auto of_shadowed = NodesWithBlocks(*shadowed.blocks()[i]);
    if (of_original.size() != of_shadowed.size()) {
      continue;
    }
    for (size_t j = 0; j < of_original.size(); ++j) {
      AddConditions(*of_original[j], *of_shadowed[j], counterparts);
    }
  }
}

}  // namespace

Node* InsertedShadow::PlaceWhenMade(Node* place) const {
  return guarded ? guarded->PlaceWhenMade(place) : place;
}

absl::StatusOr<InsertedShadow> ShadowInserter::InsertCopy(
    const SubgraphMatch& match, const Subgraph& shadowed,
    ValueCounterparts& counterparts) {
  if (!facts_) {
    facts_.emplace(source_.graph(), options_.io_types);
  }
  Node* place = shadowed.start;
  Node* before = place->prev();
  NS_ASSIGN_OR_RETURN(const std::vector<Value*> inputs,
                      ShadowInputs(match.a.subgraph, shadowed, place, *facts_));
  AddConditions(*match.a.subgraph.start, *shadowed.start, counterparts);
  NS_ASSIGN_OR_RETURN(CopiedSubgraph copy,
                      CopySubgraph(source_, match.a.subgraph, *match.a.output,
                                   inputs, host_, place, counterparts));
  CopyInputsTogether(inputs, copy.subgraph, before);
  InsertedShadow shadow;
  for (const MatchedOutput& output : MatchedOutputs(match)) {
    // All outputs of a subgraph are of one node.
    Value* value = copy.output->node()->output(output.a.value->offset());
    NS_ASSIGN_OR_RETURN(Value * tensor, TensorIn(value, output.a.place, place));
    shadow.tensors.push_back(tensor);
  }
  shadow.subgraph = std::move(copy.subgraph);
  if (options_.parts) {
    NS_ASSIGN_OR_RETURN(
        shadow.parts, InsertShadowParts(source_, match, inputs, host_, shadowed,
                                        counterparts));
  }
  return shadow;
}

absl::StatusOr<InsertedShadow> ShadowInserter::Insert(
    size_t index, const Subgraph& shadowed, ValueCounterparts& counterparts) {
  const SubgraphMatch& match = matches_.matches[index];
  if (match.is_quantize_point && !IsQuantizedIn(match.a)) {
    InsertedShadow shadow;
    shadow.tensors = {shadowed.start->input(0)};
    return shadow;
  }
  const Node* before = shadowed.start->prev();
  NS_ASSIGN_OR_RETURN(InsertedShadow shadow,
                      InsertOrTakeBack(*shadowed.start, [&] {
                        return InsertCopy(match, shadowed, counterparts);
                      }));
  if (options_.guards) {
    NS_ASSIGN_OR_RETURN(
        shadow.guarded,
        GuardedShadow::Mark(host_, GuardAttributeOf(index),
                            const_cast<Node*>(before)->next(), shadowed.start));
    guarded_.push_back(*shadow.guarded);
  }
  return shadow;
}

absl::Status ShadowInserter::Finish() {
  for (GuardedShadow& shadow : guarded_) {
    NS_RETURN_IF_ERROR(shadow.MoveToMethod(host_));
  }
  return absl::OkStatus();
}

const std::string& ShadowInserter::GuardAttributeOf(size_t index) {
  std::string& attribute = guard_attributes_[index];
  if (attribute.empty()) {
    attribute = AttachAttribute(
        host_.module(), kGuardPrefix,
        c10::make_intrusive<ShadowGuard>(matches_.matches[index].name),
        /*first=*/static_cast<int>(guard_attributes_.size()) - 1);
  }
  return attribute;
}

ShadowGuardPtr ShadowInserter::GuardOf(size_t index) const {
  const auto attribute = guard_attributes_.find(index);
  return attribute == guard_attributes_.end()
             ? ShadowGuardPtr()
             : host_.module()
                   .attr(attribute->second)
                   .toCustomClass<ShadowGuard>();
}

std::vector<ShadowGuardPtr> AttachedGuards(const torch::jit::Module& module) {
  std::vector<ShadowGuardPtr> guards;
  for (int index = 0;; ++index) {
    const std::string name = absl::StrCat(kGuardPrefix, index);
    if (!module.hasattr(name)) {
      return guards;
    }
    guards.push_back(module.attr(name).toCustomClass<ShadowGuard>());
  }
}

}  // namespace ns
