// Reports which ops still compute in float after fold-reference-quantization.
#ifndef PASSES_LOWERING_FOLD_FLOAT_OPS_LEFT_H_
#define PASSES_LOWERING_FOLD_FLOAT_OPS_LEFT_H_

#include "ir/pass_context.h"
#include "passes/lowering/fold/fold_editor.h"

namespace ns {

// Writes a remark to `context` for each op of the editor's graph that computes
// in float, in order of execution and inside control flow too. The remark gives
// the reason that the op was rejected with or, when no rule tried to fold it,
// says what is missing around it.
void RemarkOnFloatOps(const FoldEditor& editor, PassContext& context);

}  // namespace ns

#endif  // PASSES_LOWERING_FOLD_FLOAT_OPS_LEFT_H_
