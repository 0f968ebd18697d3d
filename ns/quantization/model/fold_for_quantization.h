// What a float model goes through before it is observed.
#ifndef NS_QUANTIZATION_MODEL_FOLD_FOR_QUANTIZATION_H_
#define NS_QUANTIZATION_MODEL_FOLD_FOR_QUANTIZATION_H_

#include "absl/status/statusor.h"
#include "ir/model/model_graph.h"

namespace ns {

// Returns a copy of a frozen float model without ops in place, where that
// changes nothing (RemoveMutation), and with batch norms folded, where that can
// be done (FoldBatchNorms; `compat` as there). Reports and QConfigMapping name
// layers as they are called in this copy. Error: LibTorch cannot copy or
// rewrite the model.
absl::StatusOr<ModelGraph> FoldForQuantization(const ModelGraph& model,
                                               bool compat);

}  // namespace ns

#endif  // NS_QUANTIZATION_MODEL_FOLD_FOR_QUANTIZATION_H_
