// Inserts the quantized op that takes the place of a float op. There is one
// function for each way in which the arguments of the float op become those of
// the quantized one. (quantization/float_forms.h is the opposite direction.)
//
// Each function inserts the quantized op at the insertion point of its graph,
// which the caller has set, gives it the quantized tensors that the float op's
// inputs are dequantized from, and returns its output. Error: a refusal
// (ir/base/refusal.h), or the error of an op that does not take the arguments.
// What was inserted before the error stays in the graph: FoldEditor::TryInsert
// (fold_editor.h), which sets the insertion point, removes it.
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

// A float op that is to be replaced, and what to replace it by.
struct FoldSite {
  // The float op.
  torch::jit::Node* node;
  // The name of the quantized op to insert, "quantized::add_relu". For layers
  // with packed weights, the suffix behind the name of the packed layer: "" or
  // "_relu".
  absl::string_view op;
  // The qparams that the output is quantized with.
  const PerTensorQParams& output;
  // What is known of the values of the graph.
  const ValueFacts& facts;
};

using QuantizedForm =
    absl::StatusOr<torch::jit::Value*> (*)(const FoldSite& site);

// Inserts an op of one activation whose arguments have the same names as those
// of the float op.
absl::StatusOr<torch::jit::Value*> InsertByName(const FoldSite& site);

// Does the same as InsertByName for an op of this library (namespace ns). Such
// ops take quint8 only; other dtypes are refused.
absl::StatusOr<torch::jit::Value*> InsertNsKernel(const FoldSite& site);

// Does the same as InsertByName for group and instance norms, whose input is
// made contiguous: LibTorch's kernel is wrong for some batches in
// channels-last. Where the input may have two dimensions only, which that
// kernel refuses, it inserts the ns op.
absl::StatusOr<torch::jit::Value*> InsertGroupNorm(const FoldSite& site);

// Inserts an op of two activations, of which one may be a number. The number
// becomes a constant quantized tensor of one element, which dequantizes to the
// number as a float has it.
absl::StatusOr<torch::jit::Value*> InsertBinary(const FoldSite& site);

// Inserts an op of one activation and a number whose kernel chooses the qparams
// of the output: they are not those of FoldSite::output.
absl::StatusOr<torch::jit::Value*> InsertWithNumber(const FoldSite& site);

// Inserts an op that takes a list of activations.
absl::StatusOr<torch::jit::Value*> InsertList(const FoldSite& site);

// Inserts an activation whose output has fixed qparams. LibTorch has its
// quantized kernel under the name of the float op.
absl::StatusOr<torch::jit::Value*> InsertFixed(const FoldSite& site);

// Does what InsertFixed does where the output has the fixed qparams, and what
// InsertByName does elsewhere.
absl::StatusOr<torch::jit::Value*> InsertSigmoid(const FoldSite& site);

// Insert a quantized layer for a float one whose weight is dequantized from a
// constant. The weight is packed here, by the quantized engine that is set; the
// input must be quint8.
absl::StatusOr<torch::jit::Value*> InsertPackedLinear(const FoldSite& site);
absl::StatusOr<torch::jit::Value*> InsertPackedConv(const FoldSite& site);

}  // namespace ns

#endif  // PASSES_LOWERING_FOLD_QUANTIZED_FORMS_H_
