// Compares one weight of a quantized layer with the float one.
#ifndef NS_SUITE_COMPARE_WEIGHT_H_
#define NS_SUITE_COMPARE_WEIGHT_H_

#include <ATen/core/Tensor.h>

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ns/result/comparison_result.h"

namespace ns {

// Compares `y`, the weight `name` of the quantized layer `layer`, with `x`, the
// float one; either may be quantized. Histograms are made where `histograms`
// asks for them. Absent, with a line in `warnings`, where their shapes differ.
// Error, naming the layer: tensors that LibTorch cannot compare.
absl::StatusOr<std::optional<WeightComparison>> CompareWeight(
    const std::string& layer, const std::string& name, const at::Tensor& x,
    const at::Tensor& y, bool histograms, std::vector<std::string>& warnings);

}  // namespace ns

#endif  // NS_SUITE_COMPARE_WEIGHT_H_
