#include "passes/kernels/gemm/matmul.h"

#include <algorithm>
#include <vector>

#include "passes/kernels/gemm/gemm.h"
#include "passes/kernels/gemm/packed_matrix.h"
#include "passes/kernels/output_pipeline.h"
#include "passes/kernels/saturation_mode.h"

namespace ns::kernels {
namespace {

OutputPlan PlanOf(const QuantizedMatrices& a, const QuantizedMatrices& b,
                  QParams output, const PackedMatrix& packed) {
  const int32_t zero_point =
      b.qparams.zero_point - PackedMatrix::kActivationOffset;
  OutputSpec spec;
  spec.activation_scale = a.qparams.scale;
  spec.activation_zero_point = a.qparams.zero_point;
  spec.weight_scales = absl::MakeConstSpan(&b.qparams.scale, 1);
  spec.weight_zero_points = absl::MakeConstSpan(&zero_point, 1);
  spec.output_scale = output.scale;
  spec.output_zero_point = output.zero_point;
  return PlanOutput(spec, packed.column_sums(), packed.k());
}

// Multiplies rows of `a`, of which the first one begins at `rows`, by `packed`.
void MultiplyRows(const uint8_t* rows, int64_t count,
                  const QuantizedMatrices& a, const PackedMatrix& packed,
                  const OutputPlan& plan, uint8_t* out) {
  if (a.column_stride == 1 || packed.k() == 1) {
    Gemm(rows, count, a.row_stride, packed, plan, SaturationMode::kExact, out,
         Serial);
    return;
  }
  const int64_t k = packed.k();
  std::vector<uint8_t> dense(count * k);
  for (int64_t i = 0; i < count; ++i) {
    for (int64_t j = 0; j < k; ++j) {
      dense[i * k + j] = rows[i * a.row_stride + j * a.column_stride];
    }
  }
  Gemm(dense.data(), count, k, packed, plan, SaturationMode::kExact, out,
       Serial);
}

}  // namespace

void MatMul(const QuantizedMatrices& a, const QuantizedMatrices& b,
            const MatMulShape& shape, QParams output, uint8_t* out,
            Parallel parallel) {
  if (shape.m == 0 || shape.n == 0) {
    return;
  }
  if (shape.k == 0) {
    // There is nothing to read, and the operands may be null.
    const float multiplier = a.qparams.scale * b.qparams.scale / output.scale;
    std::fill_n(out, static_cast<int64_t>(a.begins.size()) * shape.m * shape.n,
                static_cast<uint8_t>(Requantize(
                    0, multiplier, output.zero_point, OutputType::kU8)));
    return;
  }
  // A task is a group of rows of one matrix. A thread packs `b` once for all
  // neighbouring groups that it is given.
  constexpr int64_t kGroup = 16;
  constexpr int64_t kGrainProducts = int64_t{1} << 20;
  const int64_t groups = (shape.m + kGroup - 1) / kGroup;
  const int64_t products = kGroup * shape.n * shape.k;
  parallel(static_cast<int64_t>(a.begins.size()) * groups,
           std::max<int64_t>(kGrainProducts / products, 1),
           [&](int64_t begin, int64_t end) {
             while (begin < end) {
               const int64_t matrix = begin / groups;
               const int64_t last = std::min(end, (matrix + 1) * groups);
               const int64_t first_row = (begin - matrix * groups) * kGroup;
               const int64_t last_row =
                   std::min((last - matrix * groups) * kGroup, shape.m);
               const PackedMatrix packed = PackedMatrix::OfActivations(
                   b.data + b.begins[matrix], shape.n, shape.k, b.column_stride,
                   b.row_stride);
               MultiplyRows(
                   a.data + a.begins[matrix] + first_row * a.row_stride,
                   last_row - first_row, a, packed,
                   PlanOf(a, b, output, packed),
                   out + (matrix * shape.m + first_row) * shape.n);
               begin = last;
             }
           });
}

}  // namespace ns::kernels
