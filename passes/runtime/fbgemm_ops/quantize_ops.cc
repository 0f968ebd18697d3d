// ns::fbgemm_quantize, ns::fbgemm_dequantize and ns::fbgemm_requantize.
#include <ATen/Functions.h>
#include <torch/library.h>

#include "passes/kernels/elementwise/dequantize.h"
#include "passes/kernels/elementwise/quantize.h"
#include "passes/kernels/elementwise/requantize.h"
#include "passes/runtime/fbgemm_ops/quantized_data.h"
#include "passes/runtime/fbgemm_ops/torch_parallel.h"

namespace ns {
namespace {

at::Tensor Quantize(const at::Tensor& x, double scale, int64_t zero_point) {
  TORCH_CHECK(x.scalar_type() == at::kFloat && !x.is_quantized(),
              "fbgemm_quantize: takes float tensors, and this one is ",
              x.scalar_type());
  CheckQParams(scale, zero_point, "fbgemm_quantize");
  const at::Tensor dense = Dense(x);
  at::Tensor out = EmptyQuantizedLike(dense, scale, zero_point);
  kernels::Quantize(dense.data_ptr<float>(), dense.numel(), QParamsOf(out),
                    MutableQuantizedDataOf(out), TorchParallel);
  return out;
}

at::Tensor Dequantize(const at::Tensor& x) {
  CheckQuantized(x, "fbgemm_dequantize");
  const at::Tensor dense = Dense(x);
  at::Tensor out =
      at::empty_strided(dense.sizes(), dense.strides(), at::kFloat);
  kernels::Dequantize(QuantizedDataOf(dense), dense.numel(), QParamsOf(x),
                      out.data_ptr<float>(), TorchParallel);
  return out;
}

at::Tensor Requantize(const at::Tensor& x, double scale, int64_t zero_point) {
  CheckQuantized(x, "fbgemm_requantize");
  CheckQParams(scale, zero_point, "fbgemm_requantize");
  const at::Tensor dense = Dense(x);
  at::Tensor out = EmptyQuantizedLike(dense, scale, zero_point);
  kernels::RequantizeValues(QuantizedDataOf(dense), dense.numel(), QParamsOf(x),
                            QParamsOf(out), MutableQuantizedDataOf(out),
                            TorchParallel);
  return out;
}

TORCH_LIBRARY_FRAGMENT(ns, library) {
  library.def(
      "fbgemm_quantize(Tensor x, float scale, int zero_point) -> Tensor",
      Quantize);
  library.def("fbgemm_dequantize(Tensor x) -> Tensor", Dequantize);
  library.def(
      "fbgemm_requantize(Tensor x, float scale, int zero_point) -> Tensor",
      Requantize);
}

}  // namespace
}  // namespace ns
