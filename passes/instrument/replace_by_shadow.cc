#include "passes/instrument/replace_by_shadow.h"

#include <torch/csrc/jit/ir/ir.h>

#include <vector>

#include "absl/status/statusor.h"
#include "ir/base/refusal.h"
#include "ir/base/status.h"
#include "ir/graph/insert_op.h"
#include "ir/graph/node_view.h"
#include "passes/instrument/shadow_inserter.h"
#include "passes/matching/matches/matched_outputs.h"
#include "passes/ops/op_table.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Use;
using ::torch::jit::Value;

bool IsDequantize(const Node& node) {
  const OpRow* row = FindOp(OpName(node));
  return row != nullptr && row->role == Role::kDequantize;
}

// Gives `shadow` to all that use `layer`, rounded as `layer` is where they do
// not dequantize it. `rounded` is the result of the op that rounds.
void GiveToReaders(Value& layer, Value& shadow, Value& rounded) {
  const std::vector<Use> uses = layer.uses();
  for (const Use& use : uses) {
    if (use.user == rounded.node()) {
      continue;
    }
    if (IsDequantize(*use.user) && IsTensor(*use.user->output())) {
      use.user->output()->replaceAllUsesWith(&shadow);
    } else {
      use.user->replaceInput(use.offset, &rounded);
    }
  }
}

}  // namespace

absl::Status ReplaceByShadow(const ModelGraph& source, ModelGraph& host,
                             const MatchResult& matches, size_t index,
                             const OpIoTypes& io_types) {
  const SubgraphMatch& match = matches.matches[index];
  if (match.is_quantize_point) {
    return Refusal("it quantizes what its readers take");
  }
  const std::vector<MatchedOutput> outputs = MatchedOutputs(match);
  for (const MatchedOutput& output : outputs) {
    if (!IsTensor(*output.b.value)) {
      return Refusal("its outputs are inside a list or a tuple");
    }
  }
  ShadowInserter::Options options;
  options.io_types = io_types;
  options.guards = false;
  ShadowInserter inserter(source, host, matches, options);
  ValueCounterparts counterparts;
  NS_ASSIGN_OR_RETURN(const InsertedShadow shadow,
                      inserter.Insert(index, match.b.subgraph, counterparts));
  for (size_t i = 0; i < outputs.size(); ++i) {
    Value* const layer = outputs[i].b.value;
    const torch::jit::WithInsertPoint behind(layer->node()->next());
    NS_ASSIGN_OR_RETURN(Value * rounded,
                        InsertOp(host.graph(), "ns::quantized_like",
                                 {shadow.tensors[i], layer}));
    GiveToReaders(*layer, *shadow.tensors[i], *rounded);
  }
  return absl::OkStatus();
}

}  // namespace ns
