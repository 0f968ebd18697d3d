// How int16 pair sums behave: exactly, or saturating as fbgemm's do.
#ifndef PASSES_KERNELS_SATURATION_MODE_H_
#define PASSES_KERNELS_SATURATION_MODE_H_

#include <optional>
#include <string_view>

namespace ns::kernels {

// fbgemm adds the products of two neighbours, k and k+1 for even k, in 16 bits
// where the processor has nothing better, and there the sum saturates:
//
//   pair = clamp(a[k] * b[k] + a[k+1] * b[k+1], -32768, 32767)
//
// In GEMMs and convolutions by way of im2col, k counts the inputs of an output
// in the order (kernel position, channel of the group), the channel fastest,
// and processors without VNNI saturate. In depthwise convolutions k counts
// kernel positions, and all processors do. Depthwise are those for which fbgemm
// has such a kernel (IsFbgemmDepthwise in conv/conv_saturation.h); all others
// are GEMMs. A last k without a neighbour is its own pair. These are the sums
// before zero points are corrected for.
enum class SaturationMode {
  kExact,       // no sum saturates
  kFbgemmVnni,  // fbgemm with VNNI: depthwise sums saturate
  kFbgemmAvx2,  // fbgemm without VNNI: all sums do
};

// "exact", "fbgemm-vnni", "fbgemm-avx2".
const char* SaturationModeName(SaturationMode mode);
std::optional<SaturationMode> FindSaturationMode(std::string_view name);

// Whether pair sums saturate in GEMMs and in convolutions that are not
// depthwise in the sense above.
inline bool GemmSaturates(SaturationMode mode) {
  return mode == SaturationMode::kFbgemmAvx2;
}

// Whether they do in depthwise convolutions.
inline bool DepthwiseSaturates(SaturationMode mode) {
  return mode != SaturationMode::kExact;
}

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_SATURATION_MODE_H_
