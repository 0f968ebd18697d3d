// Inserts the ns op that takes the place of an op, with the arguments of that
// op.
#ifndef PASSES_LOWERING_LOWERING_FORMS_H_
#define PASSES_LOWERING_LOWERING_FORMS_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "passes/analysis/value_facts.h"
#include "passes/lowering/repack.h"
#include "passes/ops/op_families.h"

namespace torch::jit {
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// What InsertLowered uses for all ops of one graph.
struct LoweringTools {
  // Whether dynamic layers round their inputs as onednn does, not as fbgemm.
  bool round_as_onednn = false;
  // Packs weights for ns kernels, each packed object once.
  Repacker& repacker;
  // What is known of the values of the graph.
  const ValueFacts& facts;
};

// Inserts `lowered_op` at the insertion point of the graph of `node`, and
// returns its output. `node` stays, and so do its uses: the caller replaces
// it. `form` says how the ns op gets its arguments:
//
//  * kSameArguments, kTwoTensors: the same arguments, unless the input is known
//    not to be quint8 with one scale. quantized::add takes numbers, too; with
//    kTwoTensors an op that is given one is refused;
//  * kLinear, kConv: the layer that is packed into the second input becomes a
//    constant, repacked by the repacker;
//  * kEmbedding, kEmbeddingBag: the table that is packed into the first input
//    becomes such a constant. It must be whole (no pruned rows);
//  * kQuantize: for an aten::quantize_per_tensor to quint8;
//  * kDequantize: for an aten::dequantize of one quantized tensor;
//  * kOnQuantized, kFixedRange, kMean, kCat, kRelu6: for ops that run on any
//    tensor, when the one they are given is quint8. An op in place is lowered
//    only when nothing else can see what it writes. The output of aten::cat has
//    the scale and zero point of its first tensor.
//
// Error: a refusal (ir/base/refusal.h), or the error of an op that does not
// take the arguments. What was inserted before the error stays in the graph:
// InsertOrTakeBack (ir/graph/insert_op.h) removes it. A form that says why
// there is no kernel is an internal error.
absl::StatusOr<torch::jit::Value*> InsertLowered(LoweringForm form,
                                                 torch::jit::Node* node,
                                                 absl::string_view lowered_op,
                                                 const LoweringTools& tools);

}  // namespace ns

#endif  // PASSES_LOWERING_LOWERING_FORMS_H_
