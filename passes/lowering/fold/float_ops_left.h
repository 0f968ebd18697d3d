// What computes in float after fold-reference-quantization.
#ifndef PASSES_LOWERING_FOLD_FLOAT_OPS_LEFT_H_
#define PASSES_LOWERING_FOLD_FLOAT_OPS_LEFT_H_

#include "ir/pass_context.h"
#include "passes/lowering/fold/fold_editor.h"

namespace ns {

// Remarks on the ops of the graph of `editor` that compute in float, in order
// of execution, those inside control flow too: the reason that each was
// rejected with or, where no rule came near it, what is missing around it.
void RemarkOnFloatOps(const FoldEditor& editor, PassContext& context);

}  // namespace ns

#endif  // PASSES_LOWERING_FOLD_FLOAT_OPS_LEFT_H_
