// Folds the layers of reference models whose output stays float.
#ifndef PASSES_LOWERING_FOLD_FOLD_FLOAT_OUTPUT_H_
#define PASSES_LOWERING_FOLD_FOLD_FLOAT_OUTPUT_H_

#include "passes/lowering/fold/fold_editor.h"

namespace torch::jit {
struct Node;
}  // namespace torch::jit

namespace ns {

// Replaces `node` when it is one of these (dynamic_layers.h has the new ops):
//
//  * a linear with a dynamically quantized input becomes a dynamic linear;
//  * an embedding or embedding_bag becomes one that looks up packed rows;
//  * a relu behind a quantized::linear_dynamic that nothing else uses, together
//    with that, becomes a quantized::linear_relu_dynamic.
//
// Returns whether `node` was replaced. When one of these could not be, the
// editor notes the reason as its rejection. It also does so for a convolution
// with a dynamically quantized input, which stays in float.
bool FoldFloatOutput(FoldEditor& editor, torch::jit::Node* node);

}  // namespace ns

#endif  // PASSES_LOWERING_FOLD_FOLD_FLOAT_OUTPUT_H_
