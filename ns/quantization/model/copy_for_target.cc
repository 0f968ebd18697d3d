#include "ns/quantization/model/copy_for_target.h"

#include "ir/base/status.h"
#include "ir/graph/pass_context.h"
#include "passes/lowering/drop_roundings.h"
#include "passes/lowering/lower_to_fbgemm.h"
#include "passes/quantization/qconfig/quantization_target.h"

namespace ns {

absl::StatusOr<ModelGraph> CopyForTarget(const ModelGraph& quantized,
                                         const QuantizeOptions& options) {
  NS_ASSIGN_OR_RETURN(ModelGraph copy, quantized.Clone());
  if (options.mode == QuantizeMode::kStatic && RunsOnFbgemm(options) &&
      !options.compat && !options.reference) {
    LowerToFbgemmOptions lower;
    lower.numerics = SaturationOf(TargetOf(options))
                         .value_or(kernels::SaturationMode::kExact);
    PassContext context;
    NS_RETURN_IF_ERROR(LowerToFbgemm(lower).Run(copy, context).status());
    if (TargetOf(options) == QuantizationTarget::kNs) {
      NS_RETURN_IF_ERROR(DropRoundings(copy, context).status());
    }
  }
  return copy;
}

}  // namespace ns
