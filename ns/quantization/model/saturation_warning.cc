#include "ns/quantization/model/saturation_warning.h"

#include "passes/quantization/qconfig/default_qconfigs.h"
#include "passes/quantization/qconfig/quantization_target.h"

namespace ns {

std::optional<std::string> SaturationWarning(const QuantizeOptions& options,
                                             bool has_vnni) {
  const bool may_saturate = options.mode == QuantizeMode::kStatic &&
                            options.backend == Backend::kOnednn &&
                            TargetOf(options) == QuantizationTarget::kExact;
  if (!may_saturate || has_vnni || options.compat || options.mapping ||
      options.reference) {
    return std::nullopt;
  }
  return "sums of products can overflow on this processor, which has no VNNI, "
         "and errors are measured with that; for servers like it, use "
         "--target=onednn-avx2";
}

}  // namespace ns
