// Says for reports how weights are quantized.
#ifndef PASSES_QUANTIZATION_LAYERS_DESCRIBE_WEIGHTS_H_
#define PASSES_QUANTIZATION_LAYERS_DESCRIBE_WEIGHTS_H_

#include <ATen/core/Tensor.h>
#include <c10/core/QScheme.h>

#include "absl/types/span.h"
#include "passes/quantization/layers/quantization_report.h"

namespace ns {

// Describes the quantized weights of one layer, which has several when it is a
// recurrent one: their scales stand one behind the other. `qscheme` is that of
// their observer.
WeightQuantization DescribeWeights(absl::Span<const at::Tensor> weights,
                                   at::QScheme qscheme);

}  // namespace ns

#endif  // PASSES_QUANTIZATION_LAYERS_DESCRIBE_WEIGHTS_H_
