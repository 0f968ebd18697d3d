#include "ns/quantization/model/fold_for_quantization.h"

#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ir/graph/pass_context.h"
#include "passes/quantization/layers/fold_batch_norms.h"
#include "passes/quantization/layers/remove_mutation.h"

namespace ns {

absl::StatusOr<ModelGraph> FoldForQuantization(const ModelGraph& model,
                                               bool compat) {
  NS_ASSIGN_OR_RETURN(ModelGraph folded, model.Clone());
  NS_RETURN_IF_ERROR(CatchTorchErrors(
      "removing ops in place", [&] { RemoveMutation(folded.shared_graph()); }));
  PassContext context;
  FoldBatchNorms::Options norms;
  norms.compat = compat;
  NS_RETURN_IF_ERROR(FoldBatchNorms(norms).Run(folded, context).status());
  return folded;
}

}  // namespace ns
