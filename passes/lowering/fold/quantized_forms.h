// The ways in which a quantized op takes over the arguments of a float one:
// float_forms.h the other way round.
//
// Each inserts, at the insertion point of its graph, a quantized op that is
// given the codes that the float op's inputs are dequantized from, and returns
// its output. Error: a refusal (ir/refusal.h), or an op that does not take the
// arguments. What was inserted stays then: FoldEditor::TryInsert takes it back.
#ifndef PASSES_LOWERING_FOLD_QUANTIZED_FORMS_H_
#define PASSES_LOWERING_FOLD_QUANTIZED_FORMS_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "passes/analysis/value_facts.h"

namespace torch::jit {
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// A float op, and what is done to its output.
struct FoldSite {
  torch::jit::Node* node;
  // The quantized op to insert, "quantized::add_relu". For layers, what follows
  // the name of the packed layer: "" or "_relu".
  absl::string_view op;
  // How the output is quantized.
  const PerTensorQParams& output;
  const ValueFacts& facts;
};

using QuantizedForm =
    absl::StatusOr<torch::jit::Value*> (*)(const FoldSite& site);

// An op of one activation whose arguments have the same names on both sides.
absl::StatusOr<torch::jit::Value*> InsertByName(const FoldSite& site);

// The same of an op of ours, which takes unsigned codes.
absl::StatusOr<torch::jit::Value*> InsertOurs(const FoldSite& site);

// The same of group and instance norms: ours where the input may have two
// dimensions only, which the kernel of LibTorch refuses.
absl::StatusOr<torch::jit::Value*> InsertGroupNorm(const FoldSite& site);

// Two activations, of which one may be a number: that becomes a constant tensor
// of one code, which is exact.
absl::StatusOr<torch::jit::Value*> InsertBinary(const FoldSite& site);

// A list of activations.
absl::StatusOr<torch::jit::Value*> InsertList(const FoldSite& site);

// An activation with a fixed range, which takes codes under its float name.
absl::StatusOr<torch::jit::Value*> InsertFixed(const FoldSite& site);

// As InsertFixed where the range is that, and InsertByName elsewhere.
absl::StatusOr<torch::jit::Value*> InsertSigmoid(const FoldSite& site);

// Layers with packed weights.
absl::StatusOr<torch::jit::Value*> InsertPackedLinear(const FoldSite& site);
absl::StatusOr<torch::jit::Value*> InsertPackedConv(const FoldSite& site);

}  // namespace ns

#endif  // PASSES_LOWERING_FOLD_QUANTIZED_FORMS_H_
