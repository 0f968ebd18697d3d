#include "ns/quantization/copy_for_target.h"

#include <optional>

#include "ir/pass_context.h"
#include "ir/status.h"
#include "passes/lowering/lower_to_fbgemm.h"
#include "passes/quantization/quantization_target.h"

namespace ns {

absl::StatusOr<ModelGraph> CopyForTarget(const ModelGraph& quantized,
                                         const QuantizeOptions& options) {
  NS_ASSIGN_OR_RETURN(ModelGraph copy, quantized.Clone());
  const std::optional<kernels::SaturationMode> numerics =
      SaturationOf(TargetOf(options));
  if (numerics && options.backend != Backend::kQnnpack && !options.compat &&
      !options.reference) {
    LowerToFbgemmOptions lower;
    lower.numerics = *numerics;
    PassContext context;
    NS_RETURN_IF_ERROR(LowerToFbgemm(lower).Run(copy, context).status());
  }
  return copy;
}

}  // namespace ns
