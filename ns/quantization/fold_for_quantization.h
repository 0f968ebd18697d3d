// What a float model goes through before it is observed.
#ifndef NS_QUANTIZATION_FOLD_FOR_QUANTIZATION_H_
#define NS_QUANTIZATION_FOLD_FOR_QUANTIZATION_H_

#include "absl/status/statusor.h"
#include "ir/model_graph.h"

namespace ns {

// Returns a copy of `model` in which ops in place are ops that are not, where
// that is the same, and batch norms are folded (FoldBatchNorms; `compat` as
// there). The names of its layers are those that reports have. Error: a batch
// norm whose parameters do not fit.
absl::StatusOr<ModelGraph> FoldForQuantization(const ModelGraph& model,
                                               bool compat);

}  // namespace ns

#endif  // NS_QUANTIZATION_FOLD_FOR_QUANTIZATION_H_
