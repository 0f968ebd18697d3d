#include "passes/instrument/attribution/insert_attribution_taps.h"

#include <torch/csrc/jit/ir/ir.h>

#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ir/graph/node_view.h"
#include "ir/graph/verifier.h"
#include "ir/model/attach_attribute.h"
#include "ir/model/insert_method_call.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "passes/analysis/op_outputs.h"
#include "passes/instrument/insert_logger.h"
#include "passes/matching/matches/match_producers.h"
#include "passes/matching/matches/matched_outputs.h"
#include "passes/rewrite/differentiable_graph.h"
#include "passes/rewrite/tensor_in.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Use;
using ::torch::jit::Value;

constexpr char kTap[] = "ns_attribution_tap_";

// Returns which element of a tuple `output` is; absent where it is not in a
// tuple, or deeper inside.
std::optional<size_t> ElementOf(const OutputTensor& output) {
  const auto tuple = output.value->type()->cast<c10::TupleType>();
  if (tuple == nullptr) {
    return std::nullopt;
  }
  size_t first = 0;
  for (size_t i = 0; i < tuple->elements().size(); ++i) {
    const c10::Type& type = *tuple->elements()[i];
    const size_t count = CountTensors(type);
    if (output.place < first + count) {
      return type.kind() == c10::TypeKind::TensorType ? std::optional(i)
                                                      : std::nullopt;
    }
    first += count;
  }
  return std::nullopt;
}

class TapInserter {
 public:
  TapInserter(ModelGraph& a, ModelGraph& b, const MatchResult& matches,
              const std::shared_ptr<const AttributionRun>& run)
      : a_(a),
        b_(b),
        matches_(matches),
        run_(run),
        producers_(ProducersOf(b.graph(), matches)) {
    for (size_t i = 0; i < matches.matches.size(); ++i) {
      for (Node* node : matches.matches[i].a.subgraph.nodes) {
        match_of_[node] = i;
      }
    }
  }

  absl::StatusOr<AttributionTaps> InsertAll() {
    AttributionTaps taps(matches_.matches.size());
    for (size_t i = 0; i < matches_.matches.size(); ++i) {
      const SubgraphMatch& match = matches_.matches[i];
      if (match.a.compared_in != nullptr) {
        continue;
      }
      for (const MatchedOutput& output : MatchedOutputs(match)) {
        if (IsTensor(*output.a.value) || ElementOf(output.a)) {
          NS_ASSIGN_OR_RETURN(AttributionTapPtr tap, Insert(i, output));
          taps[i].push_back(std::move(tap));
        }
      }
    }
    return taps;
  }

 private:
  absl::StatusOr<AttributionTapPtr> Insert(size_t index,
                                           const MatchedOutput& output) {
    const SubgraphMatch& match = matches_.matches[index];
    auto tap = c10::make_intrusive<AttributionTap>(run_);
    Node* const behind_b = PlaceOf(match.b);
    NS_ASSIGN_OR_RETURN(Value * of_quantized,
                        TensorIn(output.b.value, output.b.place, behind_b));
    NS_RETURN_IF_ERROR(
        InsertMethodCall(b_, Attached(b_, tap), "see", {of_quantized}, behind_b)
            .status());
    Value* const value = Latest(output.a.value);
    Node* const behind_a = PlaceAfter(*value);
    std::vector<Use> uses;
    absl::c_copy_if(value->uses(), std::back_inserter(uses),
                    [&](const Use& use) {
                      return !match.is_quantize_point ||
                             (!calls_.contains(use.user) && Takes(use, index));
                    });
    const std::optional<size_t> element = ElementOf(output.a);
    Node* const unpack =
        element ? InsertBefore(a_.graph().createTupleUnpack(value), behind_a)
                : nullptr;
    Value* const tensor = element ? unpack->output(*element) : value;
    NS_ASSIGN_OR_RETURN(
        Value * tapped,
        InsertMethodCall(a_, Attached(a_, tap), "forward", {tensor}, behind_a));
    tapped->setType(tensor->type());
    calls_.insert(tapped->node());
    if (element) {
      std::vector<Value*> elements = unpack->outputs().vec();
      elements[*element] = tapped;
      Node* const tuple =
          InsertBefore(a_.graph().createTuple(elements), behind_a);
      tuple->output()->setType(value->type());
      tapped = tuple->output();
    }
    for (const Use& use : uses) {
      use.user->replaceInput(use.offset, tapped);
    }
    if (!match.is_quantize_point) {
      latest_[output.a.value] = tapped;
    }
    ++inserted_;
    return tap;
  }

  static Node* InsertBefore(Node* node, Node* place) {
    node->insertBefore(place);
    return node;
  }

  // Makes `tap` an attribute of `model`, and returns its name.
  std::string Attached(ModelGraph& model, const AttributionTapPtr& tap) const {
    return AttachAttribute(model.module(), kTap, c10::IValue(tap), inserted_);
  }

  // What stands for a value of A since it was tapped.
  Value* Latest(Value* value) const {
    const auto found = latest_.find(value);
    return found == latest_.end() ? value : found->second;
  }

  // Whether what `use` computes is computed in B of what match `point`
  // quantizes: the first layers behind it tell.
  bool Takes(const Use& use, size_t point) const {
    llvm::DenseSet<const Node*> seen;
    std::vector<const Node*> nodes = {use.user};
    bool found_layer = false;
    while (!nodes.empty()) {
      const Node* const node = nodes.back();
      nodes.pop_back();
      if (!seen.insert(node).second) {
        continue;
      }
      const auto match = match_of_.find(node);
      if (match != match_of_.end()) {
        found_layer = true;
        if (absl::c_linear_search(producers_[match->second].matches, point)) {
          return true;
        }
        continue;
      }
      for (const Value* output : node->outputs()) {
        for (const Use& next : output->uses()) {
          nodes.push_back(next.user);
        }
      }
    }
    return !found_layer;
  }

  ModelGraph& a_;
  ModelGraph& b_;
  const MatchResult& matches_;
  const std::shared_ptr<const AttributionRun>& run_;
  const std::vector<Producers> producers_;
  llvm::DenseMap<const Node*, size_t> match_of_;
  llvm::DenseMap<const Value*, Value*> latest_;
  int inserted_ = 0;
  // Those of taps, in A.
  llvm::DenseSet<const Node*> calls_;
};

}  // namespace

absl::StatusOr<AttributionTaps> InsertAttributionTaps(
    ModelGraph& a, ModelGraph& b, const MatchResult& matches,
    const std::shared_ptr<const AttributionRun>& run) {
  return CatchTorchErrors(
      "inserting taps", [&]() -> absl::StatusOr<AttributionTaps> {
        NS_ASSIGN_OR_RETURN(AttributionTaps taps,
                            TapInserter(a, b, matches, run).InsertAll());
        MakeDifferentiable(a.graph());
        NS_RETURN_IF_ERROR(VerifyGraph(a.graph()));
        NS_RETURN_IF_ERROR(VerifyGraph(b.graph()));
        return taps;
      });
}

}  // namespace ns
