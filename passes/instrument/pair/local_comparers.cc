#include "passes/instrument/pair/local_comparers.h"

#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "ir/base/status.h"
#include "ir/graph/control_flow.h"
#include "ir/graph/insert_op.h"
#include "ir/graph/node_view.h"
#include "passes/instrument/pair/channels_of.h"
#include "passes/instrument/variants/insert_variant.h"
#include "passes/ops/op_table.h"
#include "passes/quantization/reference/reference_kernel.h"
#include "passes/rewrite/first_tensor.h"

namespace ns {

using ::torch::jit::Node;
using ::torch::jit::Value;

LocalComparers::LocalComparers(const ModelGraph& a, const ModelGraph& b,
                               const MatchResult& matches, const PairPlan& plan,
                               ModelGraph& host, const GraphCopies& copies_b,
                               ValueCounterparts& counterparts, int& attached)
    : matches_(matches),
      plan_(plan),
      host_(host),
      copies_b_(copies_b),
      counterparts_(counterparts),
      shadows_(a, host, matches,
               {plan.io_types, plan.guard_shadows, plan.parts}) {
  if (plan.kernels || plan.parts) {
    facts_b_.emplace(b.graph());
  }
  // For what only a part does, the figures are enough.
  PairComparerOptions figures;
  figures.by_batch = false;
  figures.codes = false;
  ChannelFinder channels;
  for (const SubgraphMatch& match : matches.matches) {
    comparers_.push_back(
        {AttachedComparer(ComparerOptionsFor(match, plan, channels), attached),
         AttachedComparer(figures, attached),
         AttachedComparer(figures, attached),
         AttachedComparer(figures, attached),
         std::nullopt,
         {},
         {}});
  }
}

void LocalComparers::MakeShadow(size_t index, Value* b) {
  OfMatch& of_match = comparers_[index];
  of_match.shadow.reset();
  const SubgraphMatch& match = matches_.matches[index];
  const std::optional<Subgraph> shadowed = CopyOf(match.b.subgraph);
  if (!shadowed) {
    of_match.not_shadowed =
        "it is control flow in which other layers are compared";
    return;
  }
  absl::StatusOr<InsertedShadow> shadow =
      shadows_.Insert(index, *shadowed, counterparts_);
  if (!match.is_quantize_point) {
    counterparts_[match.a.output] = b;
  }
  if (!shadow.ok()) {
    of_match.not_shadowed = std::string(shadow.status().message());
    return;
  }
  if (shadow->subgraph) {
    for (Node* node : shadow->subgraph->nodes) {
      NoteFloatNode(index, node);
    }
  }
  for (Node* node : shadow->parts.nodes) {
    NoteFloatNode(index, node);
  }
  of_match.shadow = *std::move(shadow);
}

const InsertedShadow* LocalComparers::ShadowOf(size_t match) const {
  const std::optional<InsertedShadow>& shadow = comparers_[match].shadow;
  return shadow ? &*shadow : nullptr;
}

absl::Status LocalComparers::CompareWithShadow(size_t match, const Value& b,
                                               Value* shadow, Value* y,
                                               Node* place) {
  NS_RETURN_IF_ERROR(CompareVariant(match, b, shadow, place));
  return CompareParts(match, shadow, y, place);
}

void LocalComparers::NoteFloatNode(size_t match, Node* node) {
  const OpRow* row = FindOp(OpName(*matches_.matches[match].b.subgraph.base));
  if (row != nullptr && IsQuantizedOp(*row)) {
    quantized_elsewhere_.insert(node);
  }
}

bool LocalComparers::LacksShadow(size_t match) const {
  return !comparers_[match].not_shadowed.empty();
}

absl::Status LocalComparers::Finish() { return shadows_.Finish(); }

void LocalComparers::HandOver(PairedModels& pair) const {
  for (size_t i = 0; i < comparers_.size(); ++i) {
    const OfMatch& of_match = comparers_[i];
    PairComparers& handed = pair.comparers.emplace_back();
    handed.kernel = of_match.kernel.object();
    handed.variant = of_match.variant.object();
    handed.weight_only = of_match.weight_only.object();
    handed.activation_only = of_match.activation_only.object();
    handed.guard = shadows_.GuardOf(i);
    const std::string& name = matches_.matches[i].name;
    if (!of_match.not_shadowed.empty()) {
      pair.not_shadowed.push_back({name, of_match.not_shadowed});
    }
    if (!of_match.no_reference.empty()) {
      pair.no_reference.push_back({name, of_match.no_reference});
    }
  }
}

absl::Status LocalComparers::CompareKernel(size_t index) {
  const SubgraphMatch& match = matches_.matches[index];
  if (!plan_.kernels || match.is_quantize_point) {
    return absl::OkStatus();
  }
  const std::optional<Subgraph> subgraph = CopyOf(match.b.subgraph);
  if (!subgraph) {
    return absl::OkStatus();
  }
  Node* base = subgraph->base;
  const absl::StatusOr<Value*> reference = InsertReferenceKernel(
      host_, base, GivesQuantized(*match.b.subgraph.base, *facts_b_));
  if (!reference.ok()) {
    const OpRow* row = FindOp(OpName(*base));
    // An op that takes floats, too, has no kernel to speak of.
    if (row != nullptr && IsQuantizedOp(*row)) {
      comparers_[index].no_reference =
          std::string(reference.status().message());
    }
    return absl::OkStatus();
  }
  Node* later =
      RunsBefore(*base, *(*reference)->node()) ? (*reference)->node() : base;
  Node* place = later->next();
  NS_ASSIGN_OR_RETURN(Value * x, FirstTensor(*reference, place));
  NS_ASSIGN_OR_RETURN(Value * y, FirstTensor(base->output(0), place));
  return comparers_[index].kernel.Call(host_, "compare", {x, y}, place);
}

absl::Status LocalComparers::CompareVariant(size_t index, const Value& b,
                                            Value* shadow, Node* place) {
  if (index >= plan_.variants.size() || !plan_.variants[index]) {
    return absl::OkStatus();
  }
  const Subgraph layer = *CopyOf(matches_.matches[index].b.subgraph);
  const absl::StatusOr<CopiedSubgraph> variant =
      InsertVariant(host_, layer, b, layer.start, *plan_.variants[index]);
  if (!variant.ok()) {
    return absl::OkStatus();
  }
  NS_ASSIGN_OR_RETURN(Value * y, FirstTensor(variant->output, place));
  OfMatch& of_match = comparers_[index];
  return of_match.variant.Call(host_, "compare", {shadow, y},
                               of_match.shadow->PlaceWhenMade(place));
}

absl::Status LocalComparers::CompareParts(size_t index, Value* shadow, Value* y,
                                          Node* place) {
  const SubgraphMatch& match = matches_.matches[index];
  if (!plan_.parts || match.is_quantize_point) {
    return absl::OkStatus();
  }
  OfMatch& of_match = comparers_[index];
  const ShadowParts& parts = of_match.shadow->parts;
  Node* const when_made = of_match.shadow->PlaceWhenMade(place);
  if (parts.weight_only != nullptr) {
    NS_RETURN_IF_ERROR(of_match.weight_only.Call(
        host_, "compare", {shadow, parts.weight_only}, when_made));
  }
  Value* rounded = parts.activation_only;
  if (rounded == nullptr && facts_b_->IsLikelyQuantized(*match.b.output)) {
    const torch::jit::WithInsertPoint at(when_made);
    NS_ASSIGN_OR_RETURN(
        rounded, InsertOp(host_.graph(), "ns::quantize_like", {shadow, y}));
  }
  return rounded == nullptr
             ? absl::OkStatus()
             : of_match.activation_only.Call(host_, "compare",
                                             {shadow, rounded}, when_made);
}

std::optional<Subgraph> LocalComparers::CopyOf(const Subgraph& original) const {
  Subgraph copy;
  for (const Node* node : original.nodes) {
    const auto found = copies_b_.nodes.find(node);
    if (found == copies_b_.nodes.end()) {
      return std::nullopt;
    }
    copy.nodes.push_back(found->second);
  }
  copy.start = copies_b_.nodes.lookup(original.start);
  copy.end = copies_b_.nodes.lookup(original.end);
  copy.base = copies_b_.nodes.lookup(original.base);
  return copy;
}

}  // namespace ns
