// Tells when a model is quantized for other processors than this one.
#ifndef NS_QUANTIZATION_MODEL_SATURATION_WARNING_H_
#define NS_QUANTIZATION_MODEL_SATURATION_WARNING_H_

#include <optional>
#include <string>

#include "ns/quantization/model/quantize_options.h"

namespace ns {

// Returns a warning where a model that `options` make for LibTorch's onednn
// engine may saturate on this processor, which has no VNNI unless `has_vnni`:
// in the mode kStatic, with the target kExact. Not with `compat`, which has to
// do as PyTorch does, with a mapping, which says how many bits there are, or
// with `reference`, whose ops are float.
std::optional<std::string> SaturationWarning(const QuantizeOptions& options,
                                             bool has_vnni);

}  // namespace ns

#endif  // NS_QUANTIZATION_MODEL_SATURATION_WARNING_H_
