// Views of tensors that come with another layout now.
#ifndef PASSES_LOWERING_FOLD_RESHAPE_VIEWS_H_
#define PASSES_LOWERING_FOLD_RESHAPE_VIEWS_H_

#include "passes/lowering/fold/fold_editor.h"

namespace ns {

// Quantized convolutions give channels-last tensors where float ones give dense
// ones in order, of which a view may be impossible. Makes every aten::view and
// aten::view_as that nothing writes through an aten::reshape and
// aten::reshape_as, which copy where they must.
void ReshapeViews(FoldEditor& editor);

}  // namespace ns

#endif  // PASSES_LOWERING_FOLD_RESHAPE_VIEWS_H_
