// Reference layers whose output is not quantized.
#ifndef PASSES_LOWERING_FOLD_FOLD_FLOAT_OUTPUT_H_
#define PASSES_LOWERING_FOLD_FOLD_FLOAT_OUTPUT_H_

#include "passes/lowering/fold/fold_editor.h"

namespace torch::jit {
struct Node;
}  // namespace torch::jit

namespace ns {

// Replaces a linear with a dynamically quantized input by its dynamic form, an
// embedding by one of packed rows, and a relu behind a
// quantized::linear_dynamic, together with that, by the form that has one
// (dynamic_layers.h). Returns whether `node` is gone. Why it is not is said of
// it.
bool FoldFloatOutput(FoldEditor& editor, torch::jit::Node* node);

}  // namespace ns

#endif  // PASSES_LOWERING_FOLD_FOLD_FLOAT_OUTPUT_H_
