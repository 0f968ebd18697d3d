// Adds a quantized tensor to what a layer gives before it is quantized.
#ifndef PASSES_RUNTIME_FBGEMM_OPS_QUANTIZED_SUM_H_
#define PASSES_RUNTIME_FBGEMM_OPS_QUANTIZED_SUM_H_

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace ns {

// How the outputs of a layer lie in memory: in the order of their dimensions,
// or [batch, ..., channels].
enum class OutputLayout { kContiguous, kChannelsLast };

// Returns the sum of `values`, float and laid out as `layout` says, and
// `other`, quint8, with relu or without, as kernels::AddQuantize computes it:
// quantized once. Both are broadcast, and the sum is laid out likewise.
//
// Throws c10::Error, "<layer>: ...", for another `other` and for qparams that
// CheckQParams refuses.
at::Tensor AddQuantized(const at::Tensor& values, const at::Tensor& other,
                        bool relu, double scale, int64_t zero_point,
                        OutputLayout layout, const char* layer);

}  // namespace ns

#endif  // PASSES_RUNTIME_FBGEMM_OPS_QUANTIZED_SUM_H_
