// The ways in which a float op takes over the arguments of a quantized one.
//
// Each inserts, at the insertion point of its graph, `float_op` on the inputs
// of `node`, dequantized, and returns its first output, which is neither
// activated nor quantized yet. Quantized constants, weights among them, are
// dequantized at once; other tensors pass through ns::as_float, and the input
// of a dynamic op through what its kernel quantizes it with.
//
// Error: a refusal (ir/refusal.h), or an op that does not take the arguments,
// or an object that cannot be unpacked. What was inserted stays then:
// InsertOrTakeBack (ir/insert_op.h) takes it back.
#ifndef PASSES_QUANTIZATION_FLOAT_FORMS_H_
#define PASSES_QUANTIZATION_FLOAT_FORMS_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace torch::jit {
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

using FloatForm = absl::StatusOr<torch::jit::Value*> (*)(
    torch::jit::Node* node, absl::string_view float_op);

// An op that takes what `node`'s op takes: that op itself, or its out-of-place
// form.
absl::StatusOr<torch::jit::Value*> InsertSameOp(torch::jit::Node* node,
                                                absl::string_view float_op);

// The same arguments in the same order, without those that say how the output
// is quantized or where it is written.
absl::StatusOr<torch::jit::Value*> InsertSameArguments(
    torch::jit::Node* node, absl::string_view float_op);

// As InsertSameArguments, of two arguments, the tensor first: quantized::add
// and mul take a number on either side.
absl::StatusOr<torch::jit::Value*> InsertCommutative(
    torch::jit::Node* node, absl::string_view float_op);

// With the running statistics that the quantized op is given.
absl::StatusOr<torch::jit::Value*> InsertBatchNorm(torch::jit::Node* node,
                                                   absl::string_view float_op);

// With the statistics of the input.
absl::StatusOr<torch::jit::Value*> InsertInstanceNorm(
    torch::jit::Node* node, absl::string_view float_op);

// With the layer that is packed into the second input.
absl::StatusOr<torch::jit::Value*> InsertLinear(torch::jit::Node* node,
                                                absl::string_view float_op);
absl::StatusOr<torch::jit::Value*> InsertConv(torch::jit::Node* node,
                                              absl::string_view float_op);
absl::StatusOr<torch::jit::Value*> InsertConvTranspose(
    torch::jit::Node* node, absl::string_view float_op);

// With the table that is packed into the first input.
absl::StatusOr<torch::jit::Value*> InsertEmbedding(torch::jit::Node* node,
                                                   absl::string_view float_op);
absl::StatusOr<torch::jit::Value*> InsertEmbeddingBag(
    torch::jit::Node* node, absl::string_view float_op);

}  // namespace ns

#endif  // PASSES_QUANTIZATION_FLOAT_FORMS_H_
