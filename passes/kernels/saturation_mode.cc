#include "passes/kernels/saturation_mode.h"

namespace ns::kernels {
namespace {

constexpr SaturationMode kAll[] = {SaturationMode::kExact,
                                   SaturationMode::kFbgemmVnni,
                                   SaturationMode::kFbgemmAvx2};

}  // namespace

const char* SaturationModeName(SaturationMode mode) {
  switch (mode) {
    case SaturationMode::kExact:
      return "exact";
    case SaturationMode::kFbgemmVnni:
      return "fbgemm-vnni";
    case SaturationMode::kFbgemmAvx2:
      return "fbgemm-avx2";
  }
  return "";
}

std::optional<SaturationMode> FindSaturationMode(std::string_view name) {
  for (const SaturationMode mode : kAll) {
    if (name == SaturationModeName(mode)) {
      return mode;
    }
  }
  return std::nullopt;
}

}  // namespace ns::kernels
