#include "passes/instrument/shadow_parts.h"

#include <torch/csrc/jit/ir/ir.h>

#include <optional>
#include <utility>
#include <vector>

#include "ir/base/status.h"
#include "ir/graph/insert_op.h"
#include "ir/graph/node_view.h"
#include "passes/instrument/quantized_weights.h"
#include "passes/matching/matches/matched_outputs.h"
#include "passes/ops/op_table.h"
#include "passes/rewrite/replace_tensors.h"
#include "passes/rewrite/tensor_in.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;

class PartInserter {
 public:
  PartInserter(const ModelGraph& source, const SubgraphMatch& match,
               absl::Span<Value* const> inputs, ModelGraph& host,
               const Subgraph& shadowed, const ValueCounterparts& counterparts)
      : source_(source),
        match_(match),
        inputs_(inputs),
        host_(host),
        shadowed_(shadowed),
        counterparts_(counterparts) {}

  absl::StatusOr<ShadowParts> Run() {
    const auto weights = QuantizedWeights(match_);
    if (weights.ok() && !weights->empty()) {
      NS_ASSIGN_OR_RETURN(parts_.weight_only, TakeBackRefused([&] {
                            return WeightOnly(*weights);
                          }));
    }
    const OpRow* row = FindOp(OpName(*shadowed_.base));
    if (row != nullptr && row->numerics == Numerics::kDynamic &&
        InputNamed(*shadowed_.base, "reduce_range") != nullptr &&
        inputs_.size() == 1) {
      NS_ASSIGN_OR_RETURN(parts_.activation_only,
                          TakeBackRefused([&] { return ActivationOnly(); }));
    }
    return std::move(parts_);
  }

 private:
  Node* place() const { return shadowed_.start; }

  // What `insert` returns; null where it refuses.
  template <typename Insert>
  absl::StatusOr<Value*> TakeBackRefused(const Insert& insert) {
    const absl::StatusOr<CopiedSubgraph> copy =
        InsertOrTakeBack(*place(), insert);
    if (!copy.ok()) {
      return nullptr;
    }
    const Subgraph& subgraph = copy->subgraph;
    parts_.nodes.insert(parts_.nodes.end(), subgraph.nodes.begin(),
                        subgraph.nodes.end());
    const OutputTensor output = MatchedOutputs(match_).front().a;
    return TensorIn(copy->output->node()->output(output.value->offset()),
                    output.place, place());
  }

  absl::StatusOr<CopiedSubgraph> Copy(absl::Span<Value* const> inputs) {
    return CopySubgraph(source_, match_.a.subgraph, *match_.a.output, inputs,
                        host_, place(), counterparts_);
  }

  absl::StatusOr<CopiedSubgraph> WeightOnly(
      const std::vector<TensorReplacement>& weights) {
    Node* const before = place()->prev();
    NS_ASSIGN_OR_RETURN(CopiedSubgraph copy, Copy(inputs_));
    if (!ReplaceTensors(host_, before->next(), place(), weights)) {
      return absl::NotFoundError("the weights are not constants of the copy");
    }
    return copy;
  }

  absl::StatusOr<CopiedSubgraph> ActivationOnly() {
    const torch::jit::WithInsertPoint at(place());
    NS_ASSIGN_OR_RETURN(
        Value * rounded,
        InsertOp(host_.graph(), "ns::quantize_dynamic",
                 {inputs_[0], InputNamed(*shadowed_.base, "reduce_range")}));
    NS_ASSIGN_OR_RETURN(Value * dequantized,
                        InsertOp(host_.graph(), "ns::as_float", {rounded}));
    return Copy({dequantized});
  }

  const ModelGraph& source_;
  const SubgraphMatch& match_;
  const absl::Span<Value* const> inputs_;
  ModelGraph& host_;
  const Subgraph& shadowed_;
  const ValueCounterparts& counterparts_;
  ShadowParts parts_;
};

}  // namespace

absl::StatusOr<ShadowParts> InsertShadowParts(
    const ModelGraph& source, const SubgraphMatch& match,
    absl::Span<Value* const> inputs, ModelGraph& host, const Subgraph& shadowed,
    const ValueCounterparts& counterparts) {
  return PartInserter(source, match, inputs, host, shadowed, counterparts)
      .Run();
}

}  // namespace ns
