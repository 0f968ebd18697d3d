#include "passes/rewrite/shadow_casts.h"

#include <torch/csrc/jit/ir/ir.h>

#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/base/refusal.h"
#include "ir/graph/insert_op.h"

namespace ns {

using ::torch::jit::Node;
using ::torch::jit::Value;

absl::StatusOr<Value*> CastLike(const Value& original, const ValueFacts& facts,
                                Value* value, Node* place) {
  const TensorFacts likely = facts.Likely(original);
  torch::jit::WithInsertPoint at(place);
  torch::jit::Graph& graph = *place->owningGraph();
  if (!likely.is_quantized.Is(true)) {
    return InsertOp(graph,
                    likely.dtype.Is(at::kHalf) ? "ns::as_half" : "ns::as_float",
                    {value});
  }
  const std::optional<PerTensorQParams> qparams = likely.qparams();
  if (!qparams || !qparams->scale.constant || !qparams->zero_point.constant) {
    return Refusal(absl::StrCat("the scale and zero point of its input %",
                                original.debugName(), " are not constant"));
  }
  return InsertOp(
      graph, "ns::as_quantized",
      {value, *qparams->scale.constant, *qparams->zero_point.constant,
       static_cast<int64_t>(qparams->dtype)});
}

}  // namespace ns
