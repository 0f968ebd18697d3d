// The ways in which an op of ours takes over the arguments of a quantized one.
//
// Each inserts `lowered_op` at the insertion point of its graph, on the inputs
// of `node`, and returns its output. Error: a refusal (ir/refusal.h), or an op
// that does not take the arguments. What was inserted stays then:
// InsertOrTakeBack (ir/insert_op.h) takes it back.
#ifndef PASSES_LOWERING_LOWERING_FORMS_H_
#define PASSES_LOWERING_LOWERING_FORMS_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "passes/analysis/value_facts.h"
#include "passes/lowering/repack.h"

namespace torch::jit {
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// What the forms of one run over a graph share.
struct LoweringTools {
  Repacker& repacker;
  // Of the graph.
  const ValueFacts& facts;
};

using LoweringForm = absl::StatusOr<torch::jit::Value*> (*)(
    torch::jit::Node* node, absl::string_view lowered_op,
    const LoweringTools& tools);

// The same arguments: quantized::add.
absl::StatusOr<torch::jit::Value*> LowerSameArguments(
    torch::jit::Node* node, absl::string_view lowered_op,
    const LoweringTools& tools);

// The same arguments, of which two are tensors: quantized::add takes numbers,
// too.
absl::StatusOr<torch::jit::Value*> LowerTwoTensors(torch::jit::Node* node,
                                                   absl::string_view lowered_op,
                                                   const LoweringTools& tools);

// A layer that is packed into the second input, repacked into a constant.
absl::StatusOr<torch::jit::Value*> LowerLinear(torch::jit::Node* node,
                                               absl::string_view lowered_op,
                                               const LoweringTools& tools);
absl::StatusOr<torch::jit::Value*> LowerConv(torch::jit::Node* node,
                                             absl::string_view lowered_op,
                                             const LoweringTools& tools);

// A table that is packed into the first input, whole (no pruned rows), repacked
// into a constant.
absl::StatusOr<torch::jit::Value*> LowerEmbedding(torch::jit::Node* node,
                                                  absl::string_view lowered_op,
                                                  const LoweringTools& tools);
absl::StatusOr<torch::jit::Value*> LowerEmbeddingBag(
    torch::jit::Node* node, absl::string_view lowered_op,
    const LoweringTools& tools);

// An op that works on whatever it is given, and here on codes: aten::relu. In
// place only where nobody else can see it.
absl::StatusOr<torch::jit::Value*> LowerOnCodes(torch::jit::Node* node,
                                                absl::string_view lowered_op,
                                                const LoweringTools& tools);

// aten::mean of codes, over some dimensions or all.
absl::StatusOr<torch::jit::Value*> LowerMean(torch::jit::Node* node,
                                             absl::string_view lowered_op,
                                             const LoweringTools& tools);

// aten::cat of codes, which all have the parameters of the first.
absl::StatusOr<torch::jit::Value*> LowerCatOfCodes(torch::jit::Node* node,
                                                   absl::string_view lowered_op,
                                                   const LoweringTools& tools);

// quantized::relu6: a clamp from 0 to 6.
absl::StatusOr<torch::jit::Value*> LowerRelu6(torch::jit::Node* node,
                                              absl::string_view lowered_op,
                                              const LoweringTools& tools);

// aten::sigmoid and hardsigmoid of codes give codes of 1/256; aten::tanh codes
// of 2/256 around 128.
absl::StatusOr<torch::jit::Value*> LowerUnitInterval(
    torch::jit::Node* node, absl::string_view lowered_op,
    const LoweringTools& tools);
absl::StatusOr<torch::jit::Value*> LowerTanh(torch::jit::Node* node,
                                             absl::string_view lowered_op,
                                             const LoweringTools& tools);

// aten::quantize_per_tensor to quint8.
absl::StatusOr<torch::jit::Value*> LowerQuantize(torch::jit::Node* node,
                                                 absl::string_view lowered_op,
                                                 const LoweringTools& tools);

// aten::dequantize of one tensor of codes.
absl::StatusOr<torch::jit::Value*> LowerDequantize(torch::jit::Node* node,
                                                   absl::string_view lowered_op,
                                                   const LoweringTools& tools);

}  // namespace ns

#endif  // PASSES_LOWERING_LOWERING_FORMS_H_
