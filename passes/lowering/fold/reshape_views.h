// Replaces views of tensors that have another layout after folding.
#ifndef PASSES_LOWERING_FOLD_RESHAPE_VIEWS_H_
#define PASSES_LOWERING_FOLD_RESHAPE_VIEWS_H_

#include "passes/lowering/fold/fold_editor.h"

namespace ns {

// Quantized convolutions give channels-last tensors where float ones give
// contiguous ones, and a channels-last tensor may not have the view. This
// replaces every aten::view and aten::view_as that nothing writes through by an
// aten::reshape or aten::reshape_as, which copies when it must. The other
// views, and each aten::flatten, reshape and contiguous that something writes
// through, must share the memory of their input: the dequantized tensors that
// this is computed from become contiguous, as what the float op gives is.
//
//   %d = aten::dequantize(%q)
//   %c = aten::contiguous(%d, %zero)
//   %v = aten::view(%c, %size)
//   %w = aten::mul_(%v, %half)
void ReshapeViews(FoldEditor& editor);

}  // namespace ns

#endif  // PASSES_LOWERING_FOLD_RESHAPE_VIEWS_H_
