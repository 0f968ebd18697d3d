// Tells with how many bits a layer computes.
#ifndef NS_QUANTIZATION_REPORT_LAYER_BITS_H_
#define NS_QUANTIZATION_REPORT_LAYER_BITS_H_

#include <cstdint>
#include <optional>

#include "passes/quantization/layers/quantization_report.h"

namespace ns {

// Returns the bits that count the integers of the output of `layer`, or of its
// first input where only that is quantized: 7 for 128 integers. Absent where
// neither is.
std::optional<int64_t> ActivationBits(const LayerQuantization& layer);

// Returns the bits of the weight of `layer`; absent without a quantized weight,
// and where the qconfig does not say.
std::optional<int64_t> WeightBits(const LayerQuantization& layer);

}  // namespace ns

#endif  // NS_QUANTIZATION_REPORT_LAYER_BITS_H_
