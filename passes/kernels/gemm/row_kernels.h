// Declares the kernels behind GemmRows (gemm.h), one for each instruction set.
// Call one only where IsSupported (passes/kernels/isa.h) is true of its set.
#ifndef PASSES_KERNELS_GEMM_ROW_KERNELS_H_
#define PASSES_KERNELS_GEMM_ROW_KERNELS_H_

#include <cstdint>

#include "passes/kernels/output_pipeline.h"

namespace ns::kernels {

constexpr int64_t kMostScratchRows = 512;

// The argument of a row kernel, as plain data: a kernel is compiled for a
// processor that the rest of the program may not have, so it calls no function
// of a header, of which the linker might keep the kernel's copy.
struct RowTask {
  // See GemmRowsInput.
  const uint8_t* const* rows;
  int64_t row_count;
  const int64_t* run_offsets;
  bool comes_from_far;
  // See PackedMatrix. `weights` is the panel of the first output.
  int64_t runs;
  int64_t run_length;
  const int8_t* weights;
  int64_t panel_bytes;
  // How many outputs a row has. Element 0 of `out`, and of each array in
  // `view`, belongs to the first of them.
  int64_t outputs;
  OutputView view;
  void* out;
  int64_t row_stride;  // elements
  // Scratch memory of the thread, for GemmRowsAmx: room for `scratch_rows`
  // rows, a multiple of 32 up to kMostScratchRows, of runs * run_length
  // activations, the length of each run rounded up to 4 and that of the row to
  // 64. It is 64-byte aligned.
  uint8_t* scratch;
  int64_t scratch_rows;
};

using RowKernel = void (*)(const RowTask& task);

// Kernels for GEMMs in which no pair sum saturates
// (passes/kernels/saturation_mode.h).
void GemmRowsAvx2(const RowTask& task);
void GemmRowsAvxVnni(const RowTask& task);
void GemmRowsAvx512(const RowTask& task);
void GemmRowsAvx512Vnni(const RowTask& task);
// Configures the AMX tiles of the calling thread and releases them before it
// returns, so the caller's own tiles may be lost. IsSupported(Isa::kAmx) must
// have returned true in this process: it asks Linux for permission to use
// tiles.
void GemmRowsAmx(const RowTask& task);

// Kernels for GEMMs in which all pair sums saturate at the bounds of int16.
void SaturatingGemmRowsAvx2(const RowTask& task);
void SaturatingGemmRowsAvx512(const RowTask& task);

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_GEMM_ROW_KERNELS_H_
