#include "passes/kernels/gemm/matmul.h"
#include "passes/kernels/output_pipeline.h"

namespace ns::kernels {

void MatMulReference(const QuantizedMatrices& a, const QuantizedMatrices& b,
                     const MatMulShape& shape, QParams output, uint8_t* out) {
  const float multiplier = a.qparams.scale * b.qparams.scale / output.scale;
  for (size_t matrix = 0; matrix < a.begins.size(); ++matrix) {
    const uint8_t* const left = a.data + a.begins[matrix];
    const uint8_t* const right = b.data + b.begins[matrix];
    for (int64_t i = 0; i < shape.m; ++i) {
      for (int64_t j = 0; j < shape.n; ++j) {
        int32_t sum = 0;
        for (int64_t k = 0; k < shape.k; ++k) {
          sum += (left[i * a.row_stride + k * a.column_stride] -
                  a.qparams.zero_point) *
                 (right[k * b.row_stride + j * b.column_stride] -
                  b.qparams.zero_point);
        }
        *out++ = static_cast<uint8_t>(Requantize(static_cast<float>(sum),
                                                 multiplier, output.zero_point,
                                                 OutputType::kU8));
      }
    }
  }
}

}  // namespace ns::kernels
