// Reports which ops still compute in float after fold-reference-quantization.
#ifndef PASSES_LOWERING_FOLD_FLOAT_OPS_LEFT_H_
#define PASSES_LOWERING_FOLD_FLOAT_OPS_LEFT_H_

#include <string>
#include <utility>
#include <vector>

#include "ir/graph/pass_context.h"
#include "passes/lowering/fold/fold_editor.h"

namespace torch::jit {
struct Node;
}  // namespace torch::jit

namespace ns {

// Ops that compute in float, in order of execution, and why.
using FloatOps = std::vector<std::pair<const torch::jit::Node*, std::string>>;

// Writes a remark to `context` for each op of the editor's graph that computes
// in float, in order of execution and inside control flow too. Ops that the op
// table does not have get none. The remark gives the reason that was noted when
// folding the op was refused (FoldEditor::Reject). Where nothing was noted, it
// says why no rule was tried: "its output is not quantized", for example. Adds
// the same ops to `ops`, unless that is null.
void RemarkOnFloatOps(const FoldEditor& editor, PassContext& context,
                      FloatOps* ops = nullptr);

}  // namespace ns

#endif  // PASSES_LOWERING_FOLD_FLOAT_OPS_LEFT_H_
