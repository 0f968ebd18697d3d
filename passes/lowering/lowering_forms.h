// How an ns kernel takes over the arguments of the op whose place it takes.
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

// What the forms of one run over a graph share.
struct LoweringTools {
  Repacker& repacker;
  // What is known of the values of the graph.
  const ValueFacts& facts;
};

// Inserts `lowered_op` at the insertion point of the graph of `node`, on the
// inputs of `node` and in the way of `form`, and returns its output. By form:
//
//  * kSameArguments, kTwoTensors: the same arguments. quantized::add takes
//    numbers, too, and its kernel does not;
//  * kLinear, kConv: the layer that is packed into the second input, repacked
//    into a constant by the repacker;
//  * kEmbedding, kEmbeddingBag: so the table that is packed into the first,
//    which must be whole (no pruned rows);
//  * kQuantize: aten::quantize_per_tensor to quint8;
//  * kDequantize: aten::dequantize of one quantized tensor;
//  * kOnQuantized, kFixedRange, kMean, kCat, kRelu6: ops that work on whatever
//    they are given, and here on quint8. In place only where nobody else can
//    see it. What aten::cat takes all has the scale and zero point of the
//    first.
//
// Error: a refusal (ir/refusal.h), or an op that does not take the arguments.
// What was inserted stays then: InsertOrTakeBack (ir/insert_op.h) takes it
// back. A form that says why there is no kernel is an internal error.
absl::StatusOr<torch::jit::Value*> InsertLowered(LoweringForm form,
                                                 torch::jit::Node* node,
                                                 absl::string_view lowered_op,
                                                 const LoweringTools& tools);

}  // namespace ns

#endif  // PASSES_LOWERING_LOWERING_FORMS_H_
