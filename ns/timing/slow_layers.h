// Finds the layers that quantization made slower, and says why.
#ifndef NS_TIMING_SLOW_LAYERS_H_
#define NS_TIMING_SLOW_LAYERS_H_

#include <cstddef>
#include <vector>

#include "absl/strings/string_view.h"
#include "ns/result/comparison_result.h"

namespace ns {

struct SlowLayer {
  // An index into ComparisonResult::layers.
  size_t layer = 0;
  // How much longer it takes quantized than in float, in microseconds.
  double extra_us = 0;
  // "LibTorch's int8 kernel is slower than its float kernel".
  absl::string_view reason;
  // Whether `ns lower` puts a kernel of its own there.
  bool has_ns_kernel = false;
};

// Returns the layers that take at least a tenth longer quantized than in float,
// where that is at least 1 % of the time of the quantized model; the largest
// difference first. Empty where nothing was timed.
std::vector<SlowLayer> SlowLayers(const ComparisonResult& result);

}  // namespace ns

#endif  // NS_TIMING_SLOW_LAYERS_H_
