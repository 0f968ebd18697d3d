// Inserts the float op that computes what a quantized op does, on the arguments
// of the quantized op.
#ifndef PASSES_QUANTIZATION_REFERENCE_FLOAT_FORMS_H_
#define PASSES_QUANTIZATION_REFERENCE_FLOAT_FORMS_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "passes/ops/op_families.h"

namespace torch::jit {
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// Inserts `float_op` at the insertion point of the graph of `node`, a quantized
// op, with the dequantized inputs of `node`, and returns its first output.
// Activation and quantization of the output are not included. Quantized
// constants, such as weights, are dequantized right away; other tensors go
// through ns::as_float. The input of a dynamic op is quantized first, as its
// kernel does. `form` says how `float_op` gets its arguments:
//
//  * kSameOp: the inputs of `node`; `float_op` is the op of `node` itself, or
//    its out-of-place form;
//  * kSameArguments: the same arguments in the same order, without those that
//    say how the output is quantized or where it is written;
//  * kCommutative: the same for two operands, the tensor first: quantized::add
//    and quantized::mul take a number on either side;
//  * kBatchNorm: the running statistics that the quantized op is given;
//  * kInstanceNorm: the statistics of the input;
//  * kLinear, kConv, kConvTranspose: the layer that is packed into the second
//    input;
//  * kEmbedding, kEmbeddingBag: the table that is packed into the first input.
//
// Error: a refusal (ir/base/refusal.h), or the error of an op that does not
// take the arguments or of an object that cannot be unpacked. What was inserted
// before the error stays in the graph: InsertOrTakeBack (ir/graph/insert_op.h)
// removes it. A form that says why an op is not computed in float is an
// internal error.
absl::StatusOr<torch::jit::Value*> InsertInFloat(ReferenceForm form,
                                                 torch::jit::Node* node,
                                                 absl::string_view float_op);

}  // namespace ns

#endif  // PASSES_QUANTIZATION_REFERENCE_FLOAT_FORMS_H_
