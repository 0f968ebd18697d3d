#include "passes/instrument/pair_models.h"

#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/passes/dead_code_elimination.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "ir/insert_op.h"
#include "ir/node_view.h"
#include "ir/status.h"
#include "ir/torch_errors.h"
#include "ir/verifier.h"
#include "passes/analysis/value_facts.h"
#include "passes/instrument/attached_comparer.h"
#include "passes/instrument/fuse_float_convs.h"
#include "passes/instrument/interleave.h"
#include "passes/instrument/pair_host.h"
#include "passes/instrument/shadow_inserter.h"
#include "passes/instrument/shared_inputs.h"
#include "passes/matching/matched_outputs.h"
#include "passes/ops/op_table.h"
#include "passes/quantization/reference_kernel.h"
#include "passes/rewrite/first_tensor.h"
#include "passes/rewrite/tensor_in.h"

namespace ns {
namespace {

using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;

class PairBuilder final : public MeetingListener {
 public:
  PairBuilder(const ModelGraph& a, const ModelGraph& b,
              const MatchResult& matches, const PairPlan& plan,
              PairedModels& pair)
      : a_(a),
        b_(b),
        matches_(matches),
        plan_(plan),
        pair_(pair),
        shadows_(a, pair.model, matches,
                 {plan.io_types, plan.guard_shadows, plan.parts}) {
    if (plan.kernels || plan.parts) {
      facts_b_.emplace(b.graph());
    }
    for (size_t i = 0; i < matches.matches.size(); ++i) {
      const SubgraphMatch& match = matches.matches[i];
      const PairComparerOptions of_match = ComparerOptionsFor(match, plan);
      // For what was inherited, the figures are enough.
      PairComparerOptions figures;
      figures.by_batch = false;
      figures.codes = false;
      comparers_.push_back({AttachedComparer(of_match, attached_),
                            AttachedComparer(figures, attached_),
                            AttachedComparer(figures, attached_),
                            AttachedComparer(figures, attached_),
                            std::nullopt,
                            {},
                            {}});
      // The comparers of other outputs leave out integers.
      PairComparerOptions of_output = of_match;
      std::vector<MatchedOutput> outputs = MatchedOutputs(match);
      for (size_t position = 0; position < outputs.size(); ++position) {
        MatchedOutput& output = outputs[position];
        const bool is_first = position == 0;
        of_output.integers = figures.integers = is_first;
        // The activation's comparer notes the codes of the same value.
        PairComparerOptions of_shadow = of_output;
        of_shadow.codes = of_output.codes && !plan.activations;
        points_.push_back({output.a.value, output.b.value, match.a.compared_in,
                           output.a.place});
        outputs_.push_back({i, position, std::move(output),
                            AttachedComparer(of_output, attached_),
                            AttachedComparer(of_shadow, attached_),
                            AttachedComparer(figures, attached_)});
      }
    }
  }

  absl::Status Run() {
    ConnectInputs(a_, b_, pair_.own_inputs_of_b, pair_.model, copies_a_,
                  copies_b_, counterparts_);
    NS_RETURN_IF_ERROR(Interleave(a_.graph(), b_.graph(), points_, host(),
                                  copies_a_, copies_b_, *this));
    ReturnBoth(plan_.activations ? copies_a_.values.at(a_.graph().outputs()[0])
                                 : nullptr,
               copies_b_.values.at(b_.graph().outputs()[0]), pair_.model);
    if (!plan_.activations) {
      // Nothing but the shadows is needed of A.
      torch::jit::EliminateDeadCode(pair_.model.shared_graph());
    }
    if (!plan_.exact) {
      const absl::Status fused =
          FuseFloatConvs(pair_.model, quantized_elsewhere_);
      NS_RETURN_IF_ERROR(a_.source().empty() ? fused
                                             : Annotated(a_.source(), fused));
    }
    NS_RETURN_IF_ERROR(shadows_.Finish());
    NS_RETURN_IF_ERROR(VerifyGraph(host()));
    HandOverComparers();
    return absl::OkStatus();
  }

  absl::Status Meet(size_t point, Value* a, Value* b, Node* place) override {
    OfOutput& output = outputs_[point];
    NS_ASSIGN_OR_RETURN(Value * x, TensorOf(output.tensors.a, a, place));
    NS_ASSIGN_OR_RETURN(Value * y, TensorOf(output.tensors.b, b, place));
    if (output.position == 0) {
      const SubgraphMatch& match = matches_.matches[output.match];
      NS_RETURN_IF_ERROR(CompareKernel(output.match));
      for (const Node* node : match.a.subgraph.nodes) {
        const auto copy = copies_a_.nodes.find(node);
        if (copy != copies_a_.nodes.end()) {
          NoteFloatNode(match, copy->second);
        }
      }
    }
    if (plan_.activations) {
      NS_RETURN_IF_ERROR(
          output.activation.Call(pair_.model, "compare", {x, y}, place));
    }
    NS_ASSIGN_OR_RETURN(Value * shadow, CompareShadow(output, b, y, place));
    if (plan_.activations && shadow != nullptr) {
      return output.inherited.Call(
          pair_.model, "compare", {x, shadow},
          comparers_[output.match].shadow->PlaceWhenMade(place));
    }
    return absl::OkStatus();
  }

  absl::Status PassBy(size_t point, bool is_b, Value* value, bool apart,
                      Node* place) override {
    OfOutput& output = outputs_[point];
    NS_ASSIGN_OR_RETURN(
        Value * tensor,
        TensorOf(is_b ? output.tensors.b : output.tensors.a, value, place));
    Value* shadow = nullptr;
    if (is_b) {
      if (output.position == 0) {
        NS_RETURN_IF_ERROR(CompareKernel(output.match));
      }
      NS_ASSIGN_OR_RETURN(shadow, CompareShadow(output, value, tensor, place));
    }
    if (!plan_.activations) {
      return absl::OkStatus();
    }
    if (!apart) {
      return output.activation.Call(pair_.model, is_b ? "miss_x" : "miss_y", {},
                                    place);
    }
    NS_RETURN_IF_ERROR(output.activation.Call(
        pair_.model, is_b ? "see_y" : "see_x", {tensor}, place));
    if (!plan_.shadows || (is_b && shadow == nullptr)) {
      return absl::OkStatus();
    }
    return is_b ? output.inherited.Call(
                      pair_.model, "see_y", {shadow},
                      comparers_[output.match].shadow->PlaceWhenMade(place))
                : output.inherited.Call(pair_.model, "see_x", {tensor}, place);
  }

 private:
  struct OfMatch {
    AttachedComparer kernel;
    AttachedComparer variant;
    AttachedComparer weight_only;
    AttachedComparer activation_only;
    // The newest shadow. Other outputs than the first come by right behind it.
    std::optional<InsertedShadow> shadow;
    // Why there is no shadow, and no reference kernel.
    std::string not_shadowed;
    std::string no_reference;
  };

  // What stands at a meeting point.
  struct OfOutput {
    size_t match;
    // Among the outputs of the match.
    size_t position;
    MatchedOutput tensors;
    AttachedComparer activation;
    AttachedComparer shadow;
    AttachedComparer inherited;
  };

  Graph& host() { return pair_.model.graph(); }

  // The tensor that `copy`, of the value that is or holds it, has. One that had
  // to wait has been taken out.
  static absl::StatusOr<Value*> TensorOf(const OutputTensor& tensor,
                                         Value* copy, Node* place) {
    return IsTensor(*copy) ? copy : TensorIn(copy, tensor.place, place);
  }

  void HandOverComparers() {
    for (OfMatch& of_match : comparers_) {
      PairComparers& handed = pair_.comparers.emplace_back();
      handed.kernel = of_match.kernel.object();
      handed.variant = of_match.variant.object();
      handed.weight_only = of_match.weight_only.object();
      handed.activation_only = of_match.activation_only.object();
      handed.guard = shadows_.GuardOf(pair_.comparers.size() - 1);
    }
    for (OfOutput& output : outputs_) {
      if (!comparers_[output.match].not_shadowed.empty()) {
        output.inherited.Remove();
      }
      PairComparers& handed = pair_.comparers[output.match];
      if (output.position == 0) {
        handed.activation = output.activation.object();
        handed.shadow = output.shadow.object();
        handed.inherited = output.inherited.object();
      } else {
        handed.others.push_back({output.tensors.index, output.tensors.name,
                                 output.activation.object(),
                                 output.shadow.object(),
                                 output.inherited.object()});
      }
    }
    for (size_t i = 0; i < comparers_.size(); ++i) {
      const std::string& name = matches_.matches[i].name;
      if (!comparers_[i].not_shadowed.empty()) {
        pair_.not_shadowed.push_back({name, comparers_[i].not_shadowed});
      }
      if (!comparers_[i].no_reference.empty()) {
        pair_.no_reference.push_back({name, comparers_[i].no_reference});
      }
    }
  }

  // What stands beside `y`, the tensor of `output` in the copy `b` of B's
  // value, and is compared with it; null when shadows are not wanted or not
  // possible.
  absl::StatusOr<Value*> CompareShadow(OfOutput& output, Value* b, Value* y,
                                       Node* place) {
    if (!plan_.shadows) {
      return nullptr;
    }
    OfMatch& of_match = comparers_[output.match];
    if (output.position == 0) {
      of_match.shadow = NewShadow(output.match, b);
    }
    if (!of_match.shadow) {
      return nullptr;
    }
    Value* shadow = of_match.shadow->tensors[output.position];
    NS_RETURN_IF_ERROR(
        output.shadow.Call(pair_.model, "compare", {shadow, y},
                           of_match.shadow->PlaceWhenMade(place)));
    if (output.position == 0) {
      NS_RETURN_IF_ERROR(CompareVariant(output.match, *b, shadow, place));
      NS_RETURN_IF_ERROR(CompareParts(output.match, shadow, y, place));
    }
    return shadow;
  }

  // The shadow of the copy `b` of B's output at match `index`, or nothing when
  // it cannot be made.
  std::optional<InsertedShadow> NewShadow(size_t index, Value* b) {
    OfMatch& of_match = comparers_[index];
    const SubgraphMatch& match = matches_.matches[index];
    const std::optional<Subgraph> shadowed = CopyOf(match.b.subgraph);
    if (!shadowed) {
      of_match.not_shadowed =
          "it is control flow in which other layers are compared";
      return std::nullopt;
    }
    absl::StatusOr<InsertedShadow> shadow =
        shadows_.Insert(index, *shadowed, counterparts_);
    if (!match.is_quantize_point) {
      counterparts_[match.a.output] = b;
    }
    if (!shadow.ok()) {
      of_match.not_shadowed = std::string(shadow.status().message());
      return std::nullopt;
    }
    if (shadow->subgraph) {
      for (Node* node : shadow->subgraph->nodes) {
        NoteFloatNode(match, node);
      }
    }
    for (Node* node : shadow->parts.nodes) {
      NoteFloatNode(match, node);
    }
    return *std::move(shadow);
  }

  // Compares a variant of B's newest subgraph at match `index`, whose output is
  // `b`, with its shadow.
  absl::Status CompareVariant(size_t index, const Value& b, Value* shadow,
                              Node* place) {
    if (!plan_.variant) {
      return absl::OkStatus();
    }
    NS_ASSIGN_OR_RETURN(
        Value * variant,
        plan_.variant(index, pair_.model,
                      *CopyOf(matches_.matches[index].b.subgraph), b));
    if (variant == nullptr) {
      return absl::OkStatus();
    }
    NS_ASSIGN_OR_RETURN(Value * y, FirstTensor(variant, place));
    OfMatch& of_match = comparers_[index];
    return of_match.variant.Call(pair_.model, "compare", {shadow, y},
                                 of_match.shadow->PlaceWhenMade(place));
  }

  // Compares the parts of the newest shadow at match `index` with it. `y` is
  // the output of B's subgraph.
  absl::Status CompareParts(size_t index, Value* shadow, Value* y,
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
          pair_.model, "compare", {shadow, parts.weight_only}, when_made));
    }
    Value* rounded = parts.activation_only;
    if (rounded == nullptr && facts_b_->IsLikelyQuantized(*match.b.output)) {
      const torch::jit::WithInsertPoint at(when_made);
      NS_ASSIGN_OR_RETURN(rounded,
                          InsertOp(host(), "ns::quantize_like", {shadow, y}));
    }
    return rounded == nullptr
               ? absl::OkStatus()
               : of_match.activation_only.Call(pair_.model, "compare",
                                               {shadow, rounded}, when_made);
  }

  // Compares the newest copy of the quantized op at match `index` with a
  // reference.
  absl::Status CompareKernel(size_t index) {
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
        pair_.model, base, GivesQuantized(*match.b.subgraph.base, *facts_b_));
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
    return comparers_[index].kernel.Call(pair_.model, "compare", {x, y}, place);
  }

  // Remembers a node of A that B has in quantized form.
  void NoteFloatNode(const SubgraphMatch& match, Node* node) {
    const OpRow* row = FindOp(OpName(*match.b.subgraph.base));
    if (row != nullptr && IsQuantizedOp(*row)) {
      quantized_elsewhere_.insert(node);
    }
  }

  // The newest copy of a subgraph of B; nothing where there is none of a node
  // of its own.
  std::optional<Subgraph> CopyOf(const Subgraph& original) const {
    Subgraph copy;
    for (const Node* node : original.nodes) {
      const auto found = copies_b_.nodes.find(node);
      if (found == copies_b_.nodes.end()) {
        return std::nullopt;
      }
      copy.nodes.push_back(found->second);
    }
    copy.start = copies_b_.nodes.at(original.start);
    copy.end = copies_b_.nodes.at(original.end);
    copy.base = copies_b_.nodes.at(original.base);
    return copy;
  }

  const ModelGraph& a_;
  const ModelGraph& b_;
  const MatchResult& matches_;
  const PairPlan& plan_;
  PairedModels& pair_;
  ShadowInserter shadows_;
  // What is known of the values of B; with kernels and parts only.
  std::optional<ValueFacts> facts_b_;
  std::vector<MeetingPoint> points_;
  std::vector<OfOutput> outputs_;
  // What stands at a match.
  std::vector<OfMatch> comparers_;
  int attached_ = 0;
  GraphCopies copies_a_;
  GraphCopies copies_b_;
  // Copies of nodes of A.
  absl::flat_hash_set<Node*> quantized_elsewhere_;
  // Values of A, and copies of B's.
  ValueCounterparts counterparts_;
};

}  // namespace

std::vector<PairComparerPtr> PairComparers::All() const {
  std::vector<PairComparerPtr> all;
  const auto add = [&](const PairComparerPtr& comparer) {
    if (comparer != nullptr) {
      all.push_back(comparer);
    }
  };
  for (const PairComparerPtr& comparer :
       {activation, shadow, inherited, kernel, weight_only, activation_only,
        variant}) {
    add(comparer);
  }
  for (const OtherOutputComparers& other : others) {
    for (const PairComparerPtr& comparer :
         {other.activation, other.shadow, other.inherited}) {
      add(comparer);
    }
  }
  return all;
}

absl::StatusOr<PairedModels> PairModels(const ModelGraph& a,
                                        const ModelGraph& b,
                                        const MatchResult& matches,
                                        const PairPlan& plan) {
  NS_ASSIGN_OR_RETURN(std::vector<size_t> own_inputs, OwnInputsOfB(a, b));
  NS_ASSIGN_OR_RETURN(ModelGraph host, MakePairHost(a, b, own_inputs));
  PairedModels pair{std::move(host), std::move(own_inputs), {}, {}, {}};
  NS_RETURN_IF_ERROR(CatchTorchErrors("pairing the models", [&] {
    return PairBuilder(a, b, matches, plan, pair).Run();
  }));
  return pair;
}

}  // namespace ns
