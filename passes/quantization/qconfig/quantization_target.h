// Names where a quantized model will run, as far as its sums saturate there.
#ifndef PASSES_QUANTIZATION_QCONFIG_QUANTIZATION_TARGET_H_
#define PASSES_QUANTIZATION_QCONFIG_QUANTIZATION_TARGET_H_

#include <optional>

#include "absl/strings/string_view.h"
#include "passes/kernels/saturation_mode.h"

namespace ns {

// Kernels add the products of two quint8 values and two qint8 weights in 16
// bits where the processor has nothing better, and such pair sums saturate
// (saturation_mode.h). The target says in which kernels they do.
enum class QuantizationTarget {
  // None: LibTorch's qnnpack engine on any processor, and its onednn engine on
  // one with VNNI.
  kExact,
  // As kernels::SaturationMode: fbgemm with and without VNNI.
  kFbgemmVnni,
  kFbgemmAvx2,
  // LibTorch's onednn engine on a processor without VNNI, with AVX2 or AVX512:
  // all layers but convolutions of one and two dimensions with as many groups
  // as input channels and as output channels. Which products make a pair
  // depends on the kernel that oneDNN chooses. Seen in oneDNN 2.6, and held by
  // tests/passes/quantization/onednn_saturation_test.cc.
  kOneDnnAvx2,
  // The kernels of this library on any processor, in a model that
  // `ns lower --fewer-roundings` makes: no sum saturates, and values that a
  // kernel can hand on unrounded are not rounded (DropRoundings).
  kNs,
};

// The target in words: "exact", "fbgemm-vnni", "fbgemm-avx2", "onednn-avx2",
// "ns".
absl::string_view TargetName(QuantizationTarget target);

// Whether sums of most layers saturate when activations and weights have 8
// bits, so that activations get 7 by default.
bool NarrowsActivations(QuantizationTarget target);

// How the kernels of this library compute what the target does. Absent for
// kOneDnnAvx2, whose pairs they do not have.
std::optional<kernels::SaturationMode> SaturationOf(QuantizationTarget target);

}  // namespace ns

#endif  // PASSES_QUANTIZATION_QCONFIG_QUANTIZATION_TARGET_H_
