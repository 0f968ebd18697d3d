#include "passes/runtime/fbgemm_ops/quantize_dynamically.h"

#include <cmath>

#include "passes/kernels/elementwise/choose_qparams.h"
#include "passes/kernels/elementwise/min_max.h"
#include "passes/kernels/elementwise/quantize.h"
#include "passes/runtime/fbgemm_ops/quantized_data.h"
#include "passes/runtime/fbgemm_ops/torch_parallel.h"

namespace ns {

at::Tensor QuantizeDynamically(const at::Tensor& x, bool reduce_range,
                               const char* op, DynamicRounding rounding) {
  TORCH_CHECK(x.scalar_type() == at::kFloat && !x.is_quantized(), op,
              ": takes float tensors, and this one is ", x.scalar_type());
  const at::Tensor dense = Dense(x);
  const float* const values = dense.data_ptr<float>();
  const kernels::FloatRange range =
      kernels::MinMax(values, dense.numel(), TorchParallel);
  TORCH_CHECK(std::isfinite(range.min) && std::isfinite(range.max), op,
              ": the input holds infinities, and has no scale");
  if (rounding == DynamicRounding::kOneDnn) {
    const kernels::DoubleQParams qparams =
        kernels::ChooseQuantizationParamsInDouble(range.min, range.max,
                                                  reduce_range);
    at::Tensor quantized = EmptyQuantizedLike(
        dense, static_cast<float>(qparams.scale), qparams.zero_point);
    kernels::QuantizeShifted(values, dense.numel(),
                             static_cast<float>(1.0 / qparams.scale),
                             static_cast<float>(qparams.zero_point),
                             MutableQuantizedDataOf(quantized), TorchParallel);
    return quantized;
  }
  const kernels::QParams qparams =
      kernels::ChooseQuantizationParams(range.min, range.max, reduce_range);
  at::Tensor quantized =
      EmptyQuantizedLike(dense, qparams.scale, qparams.zero_point);
  kernels::Quantize(values, dense.numel(), qparams,
                    MutableQuantizedDataOf(quantized), TorchParallel);
  return quantized;
}

}  // namespace ns
