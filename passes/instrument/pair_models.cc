#include "passes/instrument/pair_models.h"

#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/passes/dead_code_elimination.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "ir/node_view.h"
#include "ir/status.h"
#include "ir/torch_errors.h"
#include "ir/verifier.h"
#include "passes/instrument/attached_comparer.h"
#include "passes/instrument/fuse_float_convs.h"
#include "passes/instrument/insert_shadow.h"
#include "passes/instrument/interleave.h"
#include "passes/instrument/shared_inputs.h"
#include "passes/ops/op_table.h"
#include "passes/quantization/reference_kernel.h"
#include "passes/rewrite/first_tensor.h"

namespace ns {
namespace {

using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;

constexpr char kModelA[] = "ns_a";
constexpr char kModelB[] = "ns_b";

class PairBuilder final : public MeetingListener {
 public:
  PairBuilder(const ModelGraph& a, const ModelGraph& b,
              const MatchResult& matches, const PairPlan& plan,
              PairedModels& pair)
      : a_(a), b_(b), matches_(matches), plan_(plan), pair_(pair) {
    for (const SubgraphMatch& match : matches.matches) {
      points_.push_back({match.a.output, match.b.output, match.a.compared_in});
      const PairComparerOptions of_match =
          plan.statistics ? plan.statistics(match) : PairComparerOptions();
      // Of what was inherited, the figures are enough.
      PairComparerOptions figures;
      figures.by_batch = false;
      figures.codes = false;
      // The activation's comparer notes the codes of the same value.
      PairComparerOptions of_shadow = of_match;
      of_shadow.codes = of_match.codes && !plan.activations;
      comparers_.push_back({AttachedComparer(of_match, attached_),
                            AttachedComparer(of_shadow, attached_),
                            AttachedComparer(figures, attached_),
                            AttachedComparer(of_match, attached_),
                            AttachedComparer(figures, attached_),
                            {},
                            {}});
    }
  }

  absl::Status Run() {
    ConnectInputs();
    NS_RETURN_IF_ERROR(Interleave(a_.graph(), b_.graph(), points_, host(),
                                  copies_a_, copies_b_, *this));
    ConnectOutputs();
    if (!plan_.exact) {
      const absl::Status fused =
          FuseFloatConvs(pair_.model, quantized_elsewhere_);
      NS_RETURN_IF_ERROR(a_.source().empty() ? fused
                                             : Annotated(a_.source(), fused));
    }
    NS_RETURN_IF_ERROR(VerifyGraph(host()));
    for (size_t i = 0; i < comparers_.size(); ++i) {
      OfMatch& of_match = comparers_[i];
      if (!of_match.not_shadowed.empty()) {
        of_match.inherited.Remove();
      }
      pair_.comparers.push_back(
          {of_match.activation.object(), of_match.shadow.object(),
           of_match.inherited.object(), of_match.kernel.object(),
           of_match.twin.object()});
      if (!of_match.not_shadowed.empty()) {
        pair_.not_shadowed.push_back(
            {matches_.matches[i].name, of_match.not_shadowed});
      }
      if (!of_match.no_reference.empty()) {
        pair_.no_reference.push_back(
            {matches_.matches[i].name, of_match.no_reference});
      }
    }
    return absl::OkStatus();
  }

  absl::Status Meet(size_t point, Value* a, Value* b, Node* place) override {
    NS_ASSIGN_OR_RETURN(Value * x, FirstTensor(a, place));
    NS_ASSIGN_OR_RETURN(Value * y, FirstTensor(b, place));
    OfMatch& comparers = comparers_[point];
    const SubgraphMatch& match = matches_.matches[point];
    NS_RETURN_IF_ERROR(CompareKernel(point));
    for (const Node* node : match.a.subgraph.nodes) {
      const auto copy = copies_a_.nodes.find(node);
      if (copy != copies_a_.nodes.end()) {
        NoteFloatNode(match, copy->second);
      }
    }
    if (plan_.activations) {
      NS_RETURN_IF_ERROR(
          comparers.activation.Call(pair_.model, "compare", {x, y}, place));
    }
    NS_ASSIGN_OR_RETURN(Value * shadow, CompareShadow(point, b, y, place));
    if (plan_.activations && shadow != nullptr) {
      return comparers.inherited.Call(pair_.model, "compare", {x, shadow},
                                      place);
    }
    return absl::OkStatus();
  }

  absl::Status PassBy(size_t point, bool is_b, Value* value, bool apart,
                      Node* place) override {
    NS_ASSIGN_OR_RETURN(Value * tensor, FirstTensor(value, place));
    OfMatch& comparers = comparers_[point];
    Value* shadow = nullptr;
    if (is_b) {
      NS_RETURN_IF_ERROR(CompareKernel(point));
      NS_ASSIGN_OR_RETURN(shadow, CompareShadow(point, value, tensor, place));
    }
    if (!plan_.activations) {
      return absl::OkStatus();
    }
    if (!apart) {
      return comparers.activation.Call(pair_.model, is_b ? "miss_x" : "miss_y",
                                       {}, place);
    }
    NS_RETURN_IF_ERROR(comparers.activation.Call(
        pair_.model, is_b ? "see_y" : "see_x", {tensor}, place));
    if (!plan_.shadows || (is_b && shadow == nullptr)) {
      return absl::OkStatus();
    }
    return comparers.inherited.Call(pair_.model, is_b ? "see_y" : "see_x",
                                    {is_b ? shadow : tensor}, place);
  }

 private:
  struct OfMatch {
    AttachedComparer activation;
    AttachedComparer shadow;
    AttachedComparer inherited;
    AttachedComparer kernel;
    AttachedComparer twin;
    // Why there is no shadow, and no reference kernel.
    std::string not_shadowed;
    std::string no_reference;
  };

  Graph& host() { return pair_.model.graph(); }

  // The modules become attributes, and the inputs are those of the host.
  void ConnectInputs() {
    torch::jit::Module& module = pair_.model.module();
    module.register_module(kModelA, a_.module());
    module.register_module(kModelB, b_.module());
    torch::jit::WithInsertPoint at(host().block());
    const auto self_of = [&](const ModelGraph& model, const char* attribute,
                             GraphCopies& copies) {
      copies.values[model.graph().inputs()[0]] =
          host().insertGetAttr(host().inputs()[0], attribute);
    };
    self_of(a_, kModelA, copies_a_);
    self_of(b_, kModelB, copies_b_);
    const auto inputs_a = a_.graph().inputs();
    const auto inputs_b = b_.graph().inputs();
    for (size_t i = 1; i < inputs_a.size(); ++i) {
      copies_a_.values[inputs_a[i]] = host().inputs()[i];
    }
    size_t next = inputs_a.size();
    for (size_t i = 1; i < inputs_b.size(); ++i) {
      const auto& own = pair_.own_inputs_of_b;
      const bool is_own = std::find(own.begin(), own.end(), i - 1) != own.end();
      copies_b_.values[inputs_b[i]] = host().inputs()[is_own ? next++ : i];
      if (i < inputs_a.size() && *inputs_a[i]->type() == *inputs_b[i]->type()) {
        counterparts_[inputs_a[i]] = copies_b_.values[inputs_b[i]];
      }
    }
  }

  void ConnectOutputs() {
    torch::jit::WithInsertPoint at(host().block());
    while (!host().outputs().empty()) {
      host().eraseOutput(0);
    }
    Value* of_a = plan_.activations
                      ? copies_a_.values.at(a_.graph().outputs()[0])
                      : host().insertConstant(c10::IValue());
    Value* of_b = copies_b_.values.at(b_.graph().outputs()[0]);
    host().registerOutput(
        host().insertNode(host().createTuple({of_a, of_b}))->output());
    if (!plan_.activations) {
      // Of A only the shadows are needed.
      torch::jit::EliminateDeadCode(pair_.model.shared_graph());
    }
  }

  // What stands beside the copy `b` of B's value, or null when shadows are not
  // wanted or not possible; compared with `y`, the tensor in it.
  absl::StatusOr<Value*> CompareShadow(size_t point, Value* b, Value* y,
                                       Node* place) {
    if (!plan_.shadows) {
      return nullptr;
    }
    OfMatch& comparers = comparers_[point];
    const SubgraphMatch& match = matches_.matches[point];
    const std::optional<Subgraph> shadowed = CopyOf(match.b.subgraph);
    if (!shadowed) {
      comparers.not_shadowed =
          "it is control flow in which other layers are compared";
      return nullptr;
    }
    const auto left_out = plan_.not_shadowed.find(point);
    if (left_out != plan_.not_shadowed.end()) {
      comparers.not_shadowed = left_out->second;
      counterparts_[match.a.output] = b;
      return nullptr;
    }
    Value* shadow = nullptr;
    if (match.is_quantize_point) {
      // The value that is quantized is the shadow of what it becomes.
      shadow = shadowed->start->input(0);
    } else {
      Node* before = shadowed->start->prev();
      absl::StatusOr<CopiedSubgraph> copied =
          InsertShadow(a_, match.a, pair_.model, *shadowed, counterparts_);
      counterparts_[match.a.output] = b;
      if (!copied.ok()) {
        comparers.not_shadowed = std::string(copied.status().message());
        return nullptr;
      }
      NS_RETURN_IF_ERROR(
          comparers.shadow.Call(pair_.model, "begin", {}, before->next()));
      for (Node* node : copied->subgraph.nodes) {
        NoteFloatNode(match, node);
      }
      NS_ASSIGN_OR_RETURN(shadow, FirstTensor(copied->output, place));
    }
    NS_RETURN_IF_ERROR(
        comparers.shadow.Call(pair_.model, "compare", {shadow, y}, place));
    NS_RETURN_IF_ERROR(CompareTwin(point, *shadowed, *b, shadow, place));
    return shadow;
  }

  // Compares a twin of `subgraph`, B's, whose output is `b`, with its shadow.
  absl::Status CompareTwin(size_t point, const Subgraph& subgraph,
                           const Value& b, Value* shadow, Node* place) {
    if (!plan_.twin || matches_.matches[point].is_quantize_point) {
      return absl::OkStatus();
    }
    NS_ASSIGN_OR_RETURN(Value * twin, plan_.twin(pair_.model, subgraph, b));
    if (twin == nullptr) {
      return absl::OkStatus();
    }
    NS_ASSIGN_OR_RETURN(Value * y, FirstTensor(twin, place));
    return comparers_[point].twin.Call(pair_.model, "compare", {shadow, y},
                                       place);
  }

  // Compares the newest copy of the quantized op at `point` with a reference.
  absl::Status CompareKernel(size_t point) {
    const SubgraphMatch& match = matches_.matches[point];
    if (!plan_.kernels || match.is_quantize_point) {
      return absl::OkStatus();
    }
    const std::optional<Subgraph> subgraph = CopyOf(match.b.subgraph);
    if (!subgraph) {
      return absl::OkStatus();
    }
    Node* base = subgraph->base;
    const absl::StatusOr<Value*> reference =
        InsertReferenceKernel(pair_.model, base);
    if (!reference.ok()) {
      const OpRow* row = FindOp(OpName(*base));
      // An op that takes floats, too, has no kernel to speak of.
      if (row != nullptr && IsQuantizedOp(*row)) {
        comparers_[point].no_reference =
            std::string(reference.status().message());
      }
      return absl::OkStatus();
    }
    Node* later =
        RunsBefore(*base, *(*reference)->node()) ? (*reference)->node() : base;
    Node* place = later->next();
    NS_ASSIGN_OR_RETURN(Value * x, FirstTensor(*reference, place));
    NS_ASSIGN_OR_RETURN(Value * y, FirstTensor(base->output(0), place));
    return comparers_[point].kernel.Call(pair_.model, "compare", {x, y}, place);
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
  std::vector<MeetingPoint> points_;
  std::vector<OfMatch> comparers_;
  int attached_ = 0;
  GraphCopies copies_a_;
  GraphCopies copies_b_;
  // Copies of nodes of A.
  absl::flat_hash_set<Node*> quantized_elsewhere_;
  // Values of A, and copies of B's.
  ValueCounterparts counterparts_;
};

// A graph that has the inputs of both models, and nothing else.
std::shared_ptr<Graph> GraphOfInputs(const ModelGraph& a, const ModelGraph& b,
                                     const std::vector<size_t>& own_inputs) {
  auto graph = std::make_shared<Graph>();
  for (const Value* input : a.graph().inputs().slice(1)) {
    graph->addInput()->copyMetadata(const_cast<Value*>(input));
  }
  for (const size_t i : own_inputs) {
    graph->addInput()->copyMetadata(b.graph().inputs()[i + 1]);
  }
  graph->registerOutput(graph->insertConstant(c10::IValue()));
  return graph;
}

}  // namespace

std::vector<PairComparerPtr> PairComparers::All() const {
  std::vector<PairComparerPtr> all;
  for (const PairComparerPtr& comparer :
       {activation, shadow, inherited, kernel, twin}) {
    if (comparer != nullptr) {
      all.push_back(comparer);
    }
  }
  return all;
}

absl::StatusOr<PairedModels> PairModels(const ModelGraph& a,
                                        const ModelGraph& b,
                                        const MatchResult& matches,
                                        const PairPlan& plan) {
  NS_ASSIGN_OR_RETURN(std::vector<size_t> own_inputs, OwnInputsOfB(a, b));
  NS_ASSIGN_OR_RETURN(ModelGraph host,
                      ModelGraph::FromGraph(GraphOfInputs(a, b, own_inputs)));
  PairedModels pair{std::move(host), std::move(own_inputs), {}, {}, {}};
  NS_RETURN_IF_ERROR(CatchTorchErrors("pairing the models", [&] {
    return PairBuilder(a, b, matches, plan, pair).Run();
  }));
  return pair;
}

}  // namespace ns
