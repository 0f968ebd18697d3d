// ns::fbgemm_softmax: what quantized::softmax takes.
#include <ATen/WrapDimUtils.h>
#include <ATen/core/Tensor.h>
#include <torch/library.h>

#include "passes/kernels/normalization/softmax.h"
#include "passes/runtime/fbgemm_ops/quantized_data.h"
#include "passes/runtime/fbgemm_ops/torch_parallel.h"

namespace ns {
namespace {

// Over the last dimension.
at::Tensor SoftmaxOfRows(const at::Tensor& x, double scale,
                         int64_t zero_point) {
  const at::Tensor dense = x.contiguous();
  at::Tensor out = EmptyQuantized(x.sizes(), scale, zero_point);
  if (out.numel() == 0) {
    return out;
  }
  const int64_t n = x.dim() == 0 ? 1 : x.size(-1);
  kernels::Softmax(QuantizedDataOf(dense), out.numel() / n, n,
                   QParamsOf(x).scale, QParamsOf(out),
                   MutableQuantizedDataOf(out), TorchParallel);
  return out;
}

at::Tensor Softmax(const at::Tensor& x, int64_t dim, double output_scale,
                   int64_t output_zero_point) {
  constexpr char kOp[] = "fbgemm_softmax";
  CheckQuantized(x, kOp);
  CheckQParams(output_scale, output_zero_point, kOp);
  const int64_t wrapped = at::maybe_wrap_dim(dim, x.dim());
  if (wrapped + 1 >= x.dim()) {
    return SoftmaxOfRows(x, output_scale, output_zero_point);
  }
  return SoftmaxOfRows(x.transpose(wrapped, -1), output_scale,
                       output_zero_point)
      .transpose(wrapped, -1)
      .clone(at::MemoryFormat::Contiguous);
}

TORCH_LIBRARY_FRAGMENT(ns, library) {
  library.def(
      "fbgemm_softmax(Tensor x, int dim, float output_scale, int "
      "output_zero_point) -> Tensor",
      Softmax);
}

}  // namespace
}  // namespace ns
