// Multiplies u8 activations by s8 weights. The sums are of s32, and become
// outputs as an OutputPlan (output_pipeline.h) says: requantized, dequantized
// or as they are.
#ifndef PASSES_KERNELS_GEMM_GEMM_H_
#define PASSES_KERNELS_GEMM_GEMM_H_

#include <cstdint>

#include "passes/kernels/gemm/packed_matrix.h"
#include "passes/kernels/output_pipeline.h"
#include "passes/kernels/parallel.h"
#include "passes/kernels/saturation_mode.h"

namespace ns::kernels {

// Rows of activations, each anywhere in memory. A row need not be in one piece:
// it has as many pieces, called runs, as PackedMatrix::runs() says, and the
// activations of a run lie side by side. In row i, weight k of run r is
// multiplied by rows[i][run_offsets[r] + k].
struct GemmRowsInput {
  const uint8_t* const* rows = nullptr;
  // The number of rows.
  int64_t count = 0;
  // Where each run begins, in bytes from the start of its row: one number for
  // each run, the same for all rows. A row with one run needs {0}, not null.
  const int64_t* run_offsets = nullptr;
  // ComesFromFar of the bytes of the whole job, of which these rows may be a
  // part. It has no effect on results: if true, kernels prefetch.
  bool comes_from_far = false;
};

// Whether so many bytes of activations and outputs are more than an L2 cache
// keeps.
bool ComesFromFar(int64_t bytes);

// Computes outputs n_begin to n_end - 1 of all rows, in the calling thread.
// n_begin is a multiple of PackedMatrix::kPanel, and n_end at most weights.n().
// Output n of row i goes to out[i * row_stride + n], also where n_begin is not
// 0. `out` is an array of elements of plan.type, and may not overlap the input.
//
// When GemmSaturates(mode), the products of k and k + 1 (k even) are added in
// 16 bits, with saturation (saturation_mode.h). Pairs do not cross runs here,
// so that the length of a run must then be even, unless there is one run only.
//
// Reads no byte outside the runs of the rows. It is fastest where 16 or more
// rows in a row are at the same distance from each other in memory.
void GemmRows(const GemmRowsInput& input, const PackedMatrix& weights,
              const OutputPlan& plan, int64_t n_begin, int64_t n_end,
              SaturationMode mode, void* out, int64_t row_stride);

// Computes the whole of out[m][weights.n()], a dense matrix, from activations
// a[i * a_stride + k] of row i. `weights` has one run. `parallel` shares the
// work among threads (parallel.h). m, weights.n() and weights.k() may be 0;
// with k 0, all sums are 0.
void Gemm(const uint8_t* a, int64_t m, int64_t a_stride,
          const PackedMatrix& weights, const OutputPlan& plan,
          SaturationMode mode, void* out, Parallel parallel);

// Does what GemmRows does, in plain C++: for processors without a kernel, and
// for tests.
void GemmRowsReference(const GemmRowsInput& input, const PackedMatrix& weights,
                       const OutputPlan& plan, int64_t n_begin, int64_t n_end,
                       SaturationMode mode, void* out, int64_t row_stride);

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_GEMM_GEMM_H_
