#include "passes/instrument/pair/pair_models.h"

#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/passes/dead_code_elimination.h>

#include <utility>
#include <vector>

#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ir/graph/node_view.h"
#include "ir/graph/verifier.h"
#include "passes/analysis/subgraph.h"
#include "passes/instrument/pair/attached_comparer.h"
#include "passes/instrument/pair/channels_of.h"
#include "passes/instrument/pair/fuse_float_convs.h"
#include "passes/instrument/pair/interleave.h"
#include "passes/instrument/pair/late_meetings.h"
#include "passes/instrument/pair/local_comparers.h"
#include "passes/instrument/pair/pair_host.h"
#include "passes/instrument/pair/shared_inputs.h"
#include "passes/matching/matches/matched_outputs.h"
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
        local_(a, b, matches, plan, pair.model, copies_b_, counterparts_,
               attached_) {
    ChannelFinder channels;
    for (size_t i = 0; i < matches.matches.size(); ++i) {
      const SubgraphMatch& match = matches.matches[i];
      const PairComparerOptions of_match =
          ComparerOptionsFor(match, plan, channels);
      // For what was inherited, the figures are enough.
      PairComparerOptions figures;
      figures.by_batch = false;
      figures.codes = false;
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
        PairComparerOptions of_activation = of_output;
        of_activation.fingerprints = plan.fingerprints && is_first;
        points_.push_back({output.a.value, output.b.value, match.a.compared_in,
                           output.a.place});
        outputs_.push_back({i, position, std::move(output),
                            AttachedComparer(of_activation, attached_),
                            AttachedComparer(of_shadow, attached_),
                            AttachedComparer(figures, attached_)});
      }
    }
  }

  absl::Status Run() {
    ConnectInputs(a_, b_, pair_.own_inputs_of_b, pair_.model, copies_a_,
                  copies_b_, counterparts_);
    LateMeetings meetings = Meetings();
    NS_RETURN_IF_ERROR(Interleave(a_.graph(), b_.graph(), points_, host(),
                                  copies_a_, copies_b_, meetings));
    NS_RETURN_IF_ERROR(meetings.Replay(*this));
    ReturnBoth(plan_.activations
                   ? copies_a_.values.lookup(a_.graph().outputs()[0])
                   : nullptr,
               copies_b_.values.lookup(b_.graph().outputs()[0]), pair_.model);
    if (!plan_.activations) {
      // Nothing but the shadows is needed of A.
      torch::jit::EliminateDeadCode(pair_.model.shared_graph());
    }
    if (!plan_.exact) {
      const absl::Status fused =
          FuseFloatConvs(pair_.model, local_.quantized_elsewhere());
      NS_RETURN_IF_ERROR(a_.source().empty() ? fused
                                             : Annotated(a_.source(), fused));
    }
    NS_RETURN_IF_ERROR(local_.Finish());
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
      NS_RETURN_IF_ERROR(local_.CompareKernel(output.match));
      for (const Node* node : match.a.subgraph.nodes) {
        const auto copy = copies_a_.nodes.find(node);
        if (copy != copies_a_.nodes.end()) {
          local_.NoteFloatNode(output.match, copy->second);
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
          local_.ShadowOf(output.match)->PlaceWhenMade(place));
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
        NS_RETURN_IF_ERROR(local_.CompareKernel(output.match));
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
                      local_.ShadowOf(output.match)->PlaceWhenMade(place))
                : output.inherited.Call(pair_.model, "see_x", {tensor}, place);
  }

 private:
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

  // Of all points, with the nodes that Meet and PassBy look up.
  LateMeetings Meetings() {
    std::vector<LateMeetings::Nodes> of_a;
    std::vector<LateMeetings::Nodes> of_b;
    for (const OfOutput& output : outputs_) {
      const SubgraphMatch& match = matches_.matches[output.match];
      of_a.push_back(NodesOf(match.a.subgraph));
      of_b.push_back(NodesOf(match.b.subgraph));
    }
    return {copies_a_, copies_b_, std::move(of_a), std::move(of_b)};
  }

  static LateMeetings::Nodes NodesOf(const Subgraph& subgraph) {
    LateMeetings::Nodes nodes(subgraph.nodes.begin(), subgraph.nodes.end());
    // Not among them where the subgraph is control flow.
    if (subgraph.base != nullptr) {
      nodes.push_back(subgraph.base);
    }
    return nodes;
  }

  // The tensor that `copy`, of the value that is or holds it, has. One that had
  // to wait has been taken out.
  static absl::StatusOr<Value*> TensorOf(const OutputTensor& tensor,
                                         Value* copy, Node* place) {
    return IsTensor(*copy) ? copy : TensorIn(copy, tensor.place, place);
  }

  void HandOverComparers() {
    local_.HandOver(pair_);
    for (OfOutput& output : outputs_) {
      if (local_.LacksShadow(output.match)) {
        output.inherited.Remove();
      }
      PairComparers& handed = pair_.comparers[output.match];
      if (output.position == 0) {
        handed.activation = output.activation.object();
        handed.shadow = output.shadow.object();
        handed.inherited = output.inherited.object();
      } else {
        handed.others.push_back(
            {output.tensors.index, output.tensors.name,
             IsTensorList(*output.tensors.b.value), output.activation.object(),
             output.shadow.object(), output.inherited.object()});
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
    if (output.position == 0) {
      local_.MakeShadow(output.match, b);
    }
    // Other outputs than the first come by right behind it.
    const InsertedShadow* of_match = local_.ShadowOf(output.match);
    if (of_match == nullptr) {
      return nullptr;
    }
    Value* shadow = of_match->tensors[output.position];
    NS_RETURN_IF_ERROR(output.shadow.Call(pair_.model, "compare", {shadow, y},
                                          of_match->PlaceWhenMade(place)));
    if (output.position == 0) {
      NS_RETURN_IF_ERROR(
          local_.CompareWithShadow(output.match, *b, shadow, y, place));
    }
    return shadow;
  }

  const ModelGraph& a_;
  const ModelGraph& b_;
  const MatchResult& matches_;
  const PairPlan& plan_;
  PairedModels& pair_;
  std::vector<MeetingPoint> points_;
  std::vector<OfOutput> outputs_;
  int attached_ = 0;
  GraphCopies copies_a_;
  GraphCopies copies_b_;
  // Values of A, and copies of B's.
  ValueCounterparts counterparts_;
  LocalComparers local_;
};

}  // namespace

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
