// How a float op takes over the arguments of a quantized one.
#ifndef PASSES_QUANTIZATION_FLOAT_FORMS_H_
#define PASSES_QUANTIZATION_FLOAT_FORMS_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "passes/ops/op_families.h"

namespace torch::jit {
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// Inserts, at the insertion point of the graph of `node`, `float_op` on the
// inputs of `node`, dequantized, and returns its first output, which is neither
// activated nor quantized yet. Quantized constants, weights among them, are
// dequantized at once; other tensors pass through ns::as_float, and the input
// of a dynamic op through what its kernel quantizes it with. By form:
//
//  * kSameOp: `float_op` takes what the op of `node` takes: it is that op
//    itself, or its out-of-place form;
//  * kSameArguments: the same arguments in the same order, without those that
//    say how the output is quantized or where it is written;
//  * kCommutative: so, of two arguments, the tensor first: quantized::add and
//    mul take a number on either side;
//  * kBatchNorm, kInstanceNorm: with the running statistics that the quantized
//    op is given, and with those of the input;
//  * kLinear, kConv, kConvTranspose: with the layer that is packed into the
//    second input;
//  * kEmbedding, kEmbeddingBag: with the table that is packed into the first.
//
// Error: a refusal (ir/refusal.h), or an op that does not take the arguments,
// or an object that cannot be unpacked. What was inserted stays then:
// InsertOrTakeBack (ir/insert_op.h) takes it back. A form that says why there
// is no reference is an internal error.
absl::StatusOr<torch::jit::Value*> InsertInFloat(ReferenceForm form,
                                                 torch::jit::Node* node,
                                                 absl::string_view float_op);

}  // namespace ns

#endif  // PASSES_QUANTIZATION_FLOAT_FORMS_H_
