// Quantizes constant weights as their observers say.
#ifndef PASSES_QUANTIZATION_QUANTIZED_WEIGHT_H_
#define PASSES_QUANTIZATION_QUANTIZED_WEIGHT_H_

#include <ATen/core/Tensor.h>

#include "absl/status/statusor.h"
#include "passes/quantization/qconfig.h"

namespace ns {

// Returns `weight`, a float tensor, as a quantized one, to the bit what
// torch.ao.nn.quantized makes of a module's weight (_quantize_weight in
// modules/utils.py): a new observer of `spec` sees it, its parameters quantize
// it, and integers outside of quant_min..quant_max are clamped. The dtype is
// that of the spec. It does not matter whether the observer stands in a
// FakeQuantize: both find the same parameters in one tensor.
//
// Error: a refusal (ir/refusal.h) for a weight that is not of float32 or has
// values that are not finite, and for an observer that finds no parameters or
// some that LibTorch cannot quantize with; an error for a scripted observer
// that cannot be loaded.
absl::StatusOr<at::Tensor> QuantizedWeight(const at::Tensor& weight,
                                           const ObserverSpec& spec);

// Returns `weight` rounded to half precision and back. Values beyond the range
// of half precision become the nearest end of it, as linear_prepack_fp16 of
// LibTorch does it. Error: a refusal for a tensor that is not of floating
// point.
absl::StatusOr<at::Tensor> HalfWeight(const at::Tensor& weight);

}  // namespace ns

#endif  // PASSES_QUANTIZATION_QUANTIZED_WEIGHT_H_
