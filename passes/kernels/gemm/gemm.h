// Multiplies matrices of u8 and s8 to s32 sums, which pass through fbgemm's
// output pipeline.
#ifndef PASSES_KERNELS_GEMM_GEMM_H_
#define PASSES_KERNELS_GEMM_GEMM_H_

#include <cstdint>

#include "passes/kernels/gemm/packed_matrix.h"
#include "passes/kernels/output_pipeline.h"
#include "passes/kernels/parallel.h"
#include "passes/kernels/saturation_mode.h"

namespace ns::kernels {

// Rows of activations anywhere in memory. Weight k of run r meets
// rows[i][run_offsets[r] + k] in row i.
struct GemmRowsInput {
  const uint8_t* const* rows = nullptr;
  int64_t count = 0;
  // weights.runs() byte offsets.
  const int64_t* run_offsets = nullptr;
  // Whether rows and outputs of the whole call, of which these may be a part,
  // are more than the L2 cache keeps: kernels then fetch them ahead.
  bool comes_from_far = false;
};

// Whether `bytes` of activations and outputs do.
bool ComesFromFar(int64_t bytes);

// The part of the outputs [n_begin, n_end) of all rows; n_begin is a multiple
// of PackedMatrix::kPanel. Output n of row i goes to element
// i * row_stride + n of `out`, an array of the plan's type. `out` may not
// overlap the input. In the calling thread.
//
// Sums saturate in pairs of k when GemmSaturates(mode). Runs of odd length
// then must be alone (weights.runs() == 1): pairs do not cross runs.
//
// Reads no byte outside the runs of the rows. Rows that follow each other at
// one distance, 16 and more, are the fastest.
void GemmRows(const GemmRowsInput& input, const PackedMatrix& weights,
              const OutputPlan& plan, int64_t n_begin, int64_t n_end,
              SaturationMode mode, void* out, int64_t row_stride);

// out[i][n] of a dense [m][n] matrix, from activations a[i * a_stride + k].
// Weights are of one run. Any of m, n and k may be 0: without k, outputs are
// those of sums of 0.
void Gemm(const uint8_t* a, int64_t m, int64_t a_stride,
          const PackedMatrix& weights, const OutputPlan& plan,
          SaturationMode mode, void* out, Parallel parallel);

// The reference of GemmRows.
void GemmRowsReference(const GemmRowsInput& input, const PackedMatrix& weights,
                       const OutputPlan& plan, int64_t n_begin, int64_t n_end,
                       SaturationMode mode, void* out, int64_t row_stride);

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_GEMM_GEMM_H_
