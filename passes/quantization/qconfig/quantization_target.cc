#include "passes/quantization/qconfig/quantization_target.h"

namespace ns {

absl::string_view TargetName(QuantizationTarget target) {
  if (target == QuantizationTarget::kNs) {
    return "ns";
  }
  const std::optional<kernels::SaturationMode> mode = SaturationOf(target);
  return mode ? kernels::SaturationModeName(*mode) : "onednn-avx2";
}

bool NarrowsActivations(QuantizationTarget target) {
  const std::optional<kernels::SaturationMode> mode = SaturationOf(target);
  return !mode || kernels::GemmSaturates(*mode);
}

std::optional<kernels::SaturationMode> SaturationOf(QuantizationTarget target) {
  switch (target) {
    case QuantizationTarget::kExact:
    case QuantizationTarget::kNs:
      return kernels::SaturationMode::kExact;
    case QuantizationTarget::kFbgemmVnni:
      return kernels::SaturationMode::kFbgemmVnni;
    case QuantizationTarget::kFbgemmAvx2:
      return kernels::SaturationMode::kFbgemmAvx2;
    case QuantizationTarget::kOneDnnAvx2:
      break;
  }
  return std::nullopt;
}

}  // namespace ns
