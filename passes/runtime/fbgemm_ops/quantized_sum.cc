#include "passes/runtime/fbgemm_ops/quantized_sum.h"

#include <ATen/Functions.h>

#include "passes/kernels/elementwise/add.h"
#include "passes/runtime/fbgemm_ops/quantized_data.h"
#include "passes/runtime/fbgemm_ops/torch_parallel.h"

namespace ns {
namespace {

// `x` as an array of the memory that `layout` says: it may have other sizes.
at::Tensor LaidOut(const at::Tensor& x, OutputLayout layout) {
  return layout == OutputLayout::kChannelsLast ? ChannelsLast(x)
                                               : x.contiguous();
}

}  // namespace

at::Tensor AddQuantized(const at::Tensor& values, const at::Tensor& other,
                        bool relu, double scale, int64_t zero_point,
                        OutputLayout layout, const char* layer) {
  CheckQuantized(other, layer);
  CheckQParams(scale, zero_point, layer);
  at::Tensor augend = values;
  at::Tensor addend = other;
  if (values.sizes() != other.sizes()) {
    const auto both = at::broadcast_tensors({values, other});
    augend = LaidOut(both[0], layout);
    addend = both[1];
  }
  const at::Tensor dense = LaidOut(addend, layout);
  at::Tensor out = layout == OutputLayout::kChannelsLast
                       ? EmptyChannelsLast(addend.sizes(), scale, zero_point)
                       : EmptyQuantized(addend.sizes(), scale, zero_point);
  kernels::AddQuantize(augend.data_ptr<float>(),
                       {QuantizedDataOf(dense), QParamsOf(other)}, out.numel(),
                       relu, QParamsOf(out), MutableQuantizedDataOf(out),
                       TorchParallel);
  return out;
}

}  // namespace ns
