// Multiplies matrices of quantized activations: attention, where neither
// operand is a weight.
#ifndef PASSES_KERNELS_GEMM_MATMUL_H_
#define PASSES_KERNELS_GEMM_MATMUL_H_

#include <cstdint>

#include "absl/types/span.h"
#include "passes/kernels/parallel.h"
#include "passes/kernels/qparams.h"

namespace ns::kernels {

// Matrices of u8 (quint8) of one size. It does not own them. Value (i, j) of
// matrix m is data[begins[m] + i * row_stride + j * column_stride]: matrices
// may be transposed, overlap, or be one and the same.
struct QuantizedMatrices {
  const uint8_t* data = nullptr;
  absl::Span<const int64_t> begins;
  int64_t row_stride = 0;
  int64_t column_stride = 0;
  QParams qparams;
};

// Rows, columns and inner dimension of a product.
struct MatMulShape {
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
};

// The greatest inner dimension whose sums of products cannot leave s32.
constexpr int64_t kMostMatMulK = ((int64_t{1} << 31) - 1) / (255 * 255);

// Computes the dense matrices out[b][m][n], one for each pair of `a`, [m][k],
// and `b`, [k][n], of which there are as many:
//
//   sum = sum over k of (a - zero point of a) * (b - zero point of b)
//   q   = saturate_u8(saturate_s16(saturate_s16(
//             round((float)sum * (a.scale * b.scale / output.scale))) +
//         output.zero_point))
//
// The sum is exact, scales are multiplied and divided in float, and round is to
// nearest, ties to even, and gives INT_MIN for nan and what s32 cannot hold.
// quantized::matmul of LibTorch 1.13 adds up in float, in an order of its own,
// and so may be a step off.
//
// k is at most kMostMatMulK; all dimensions may be 0. `out` overlaps no
// operand. It is fastest where column_stride of `a`, and one of the strides of
// `b`, are 1; then nothing but `b` is copied.
void MatMul(const QuantizedMatrices& a, const QuantizedMatrices& b,
            const MatMulShape& shape, QParams output, uint8_t* out,
            Parallel parallel);

// The same in plain code, in one thread.
void MatMulReference(const QuantizedMatrices& a, const QuantizedMatrices& b,
                     const MatMulShape& shape, QParams output, uint8_t* out);

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_GEMM_MATMUL_H_
