#include "passes/runtime/reference_quantize.h"

#include <ATen/Functions.h>
#include <torch/library.h>

#include "passes/runtime/dtype_casts.h"

namespace ns {

at::Tensor QuantizeLike(const at::Tensor& x, const at::Tensor& like) {
  if (!like.is_quantized() || like.qscheme() != at::kPerTensorAffine) {
    return x;
  }
  return at::quantize_per_tensor(AsFloat(x).to(at::kFloat), like.q_scale(),
                                 like.q_zero_point(), like.scalar_type());
}

at::Tensor QuantizeDynamic(const at::Tensor& x, bool reduce_range) {
  // LibTorch's op, unlike its kernels, throws for a tensor without elements.
  return x.numel() == 0
             ? x
             : at::quantize_per_tensor_dynamic(x, at::kQUInt8, reduce_range);
}

TORCH_LIBRARY_FRAGMENT(ns, library) {
  library.def("quantize_like(Tensor(a) x, Tensor like) -> Tensor(a)",
              QuantizeLike);
  library.def("quantize_dynamic(Tensor(a) x, bool reduce_range) -> Tensor(a)",
              QuantizeDynamic);
}

}  // namespace ns
