// What computes in float after fold-reference-quantization.
#ifndef PASSES_LOWERING_FOLD_FLOAT_OPS_LEFT_H_
#define PASSES_LOWERING_FOLD_FLOAT_OPS_LEFT_H_

#include <vector>

#include "passes/lowering/fold/fold_editor.h"
#include "passes/lowering/lowering_report.h"

namespace ns {

// The ops of the graph of `editor` that compute in float, in order of
// execution, those inside control flow too, each with the reason that it was
// rejected with or, where no rule came near it, what is missing around it.
std::vector<LoweringRemark> FloatOpsLeft(const FoldEditor& editor);

}  // namespace ns

#endif  // PASSES_LOWERING_FOLD_FLOAT_OPS_LEFT_H_
