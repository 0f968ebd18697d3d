#include "passes/instrument/insert_shadow.h"

#include <torch/csrc/jit/ir/ir.h>

#include <vector>

#include "ir/status.h"
#include "passes/instrument/shadow_inputs.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;

absl::StatusOr<CopiedSubgraph> CopyShadow(const ModelGraph& source,
                                          const MatchedSide& side,
                                          ModelGraph& host,
                                          const Subgraph& shadowed,
                                          const ValueCounterparts& counterparts,
                                          const ValueFacts& facts) {
  NS_ASSIGN_OR_RETURN(
      const std::vector<Value*> inputs,
      ShadowInputs(side.subgraph, shadowed, shadowed.start, facts));
  return CopySubgraph(source, side.subgraph, *side.output, inputs, host,
                      shadowed.start, counterparts);
}

}  // namespace

absl::StatusOr<CopiedSubgraph> InsertShadow(
    const ModelGraph& source, const MatchedSide& side, ModelGraph& host,
    const Subgraph& shadowed, const ValueCounterparts& counterparts,
    const ValueFacts& facts) {
  Node* place = shadowed.start;
  const Node* before = place->prev();
  absl::StatusOr<CopiedSubgraph> shadow =
      CopyShadow(source, side, host, shadowed, counterparts, facts);
  while (!shadow.ok() && place->prev() != before) {
    place->prev()->destroy();
  }
  return shadow;
}

}  // namespace ns
