#include "passes/kernels/gemm/gemm.h"

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "passes/kernels/gemm/row_kernels.h"
#include "passes/kernels/isa.h"

namespace ns::kernels {
namespace {

constexpr int64_t kPanel = PackedMatrix::kPanel;

constexpr IsaTable<RowKernel> kExactKernels = {
    {Isa::kAvx2, GemmRowsAvx2},     {Isa::kAvxVnni, GemmRowsAvxVnni},
    {Isa::kAvx512, GemmRowsAvx512}, {Isa::kAvx512Vnni, GemmRowsAvx512Vnni},
    {Isa::kAmx, GemmRowsAmx},
};
constexpr IsaTable<RowKernel> kSaturatingKernels = {
    {Isa::kAvx2, SaturatingGemmRowsAvx2},
    {Isa::kAvx512, SaturatingGemmRowsAvx512},
};

struct Free {
  void operator()(uint8_t* bytes) const { std::free(bytes); }
};

// Memory of this thread, 64-byte aligned, which is valid until it asks again.
uint8_t* Scratch(int64_t bytes) {
  thread_local std::unique_ptr<uint8_t, Free> scratch;
  thread_local int64_t size = 0;
  if (size < bytes) {
    scratch.reset(static_cast<uint8_t*>(std::aligned_alloc(64, bytes)));
    size = bytes;
  }
  return scratch.get();
}

// Gives `task` what only some kernels need.
void AddScratch(const PackedMatrix& weights, RowTask& task) {
  constexpr int64_t kRows = 32;
  constexpr int64_t kBytes = 1024 << 10;  // unless fewer than 32 rows fit in
  const int64_t row_bytes =
      (weights.runs() * weights.run_steps() * PackedMatrix::kStep + 63) / 64 *
      64;
  const int64_t fit = row_bytes == 0 ? kMostScratchRows : kBytes / row_bytes;
  const int64_t needed = (task.row_count + kRows - 1) / kRows * kRows;
  task.scratch_rows = std::min(
      std::min(std::max(fit / kRows * kRows, kRows), needed), kMostScratchRows);
  task.scratch = Scratch(task.scratch_rows * row_bytes);
}

// Outputs [n_begin, n_end) of the rows [m_begin, m_end) of a dense matrix.
void GemmPart(const uint8_t* a, int64_t a_stride, int64_t m_begin,
              int64_t m_end, const PackedMatrix& weights,
              const OutputPlan& plan, int64_t n_begin, int64_t n_end,
              SaturationMode mode, void* out) {
  // On the stack: a call with few rows takes no longer than an allocation. Two
  // blocks of RowLoops.
  constexpr int64_t kRows = 384;
  const uint8_t* rows[kRows];
  constexpr int64_t kRunOffset = 0;
  const bool comes_from_far = ComesFromFar(
      (m_end - m_begin) * (weights.k() + weights.n() * OutputSize(plan.type)));
  for (int64_t first = m_begin; first < m_end; first += kRows) {
    const int64_t count = std::min(m_end - first, kRows);
    for (int64_t i = 0; i < count; ++i) {
      rows[i] = a + (first + i) * a_stride;
    }
    GemmRows({rows, count, &kRunOffset, comes_from_far}, weights, plan, n_begin,
             n_end, mode,
             static_cast<uint8_t*>(out) +
                 first * weights.n() * OutputSize(plan.type),
             weights.n());
  }
}

}  // namespace

bool ComesFromFar(int64_t bytes) {
  // So much stays in L2 caches of 2 MB, as processors with AMX have; weights
  // need some, too.
  constexpr int64_t kKept = 3 << 19;
  return bytes > kKept;
}

void GemmRows(const GemmRowsInput& input, const PackedMatrix& weights,
              const OutputPlan& plan, int64_t n_begin, int64_t n_end,
              SaturationMode mode, void* out, int64_t row_stride) {
  if (n_begin >= n_end || input.count == 0) {
    return;
  }
  const RowKernel kernel =
      (GemmSaturates(mode) ? kSaturatingKernels : kExactKernels).Chosen();
  if (kernel == nullptr) {
    GemmRowsReference(input, weights, plan, n_begin, n_end, mode, out,
                      row_stride);
    return;
  }
  RowTask task = {input.rows,
                  input.count,
                  input.run_offsets,
                  input.comes_from_far,
                  weights.runs(),
                  weights.run_length(),
                  weights.panel(n_begin / kPanel),
                  weights.panel_bytes(),
                  n_end - n_begin,
                  ViewOutput(plan, n_begin),
                  static_cast<uint8_t*>(out) + n_begin * OutputSize(plan.type),
                  row_stride,
                  /*scratch=*/nullptr,
                  /*scratch_rows=*/0};
  if (kernel == GemmRowsAmx) {
    AddScratch(weights, task);
  }
  kernel(task);
}

void Gemm(const uint8_t* a, int64_t m, int64_t a_stride,
          const PackedMatrix& weights, const OutputPlan& plan,
          SaturationMode mode, void* out, Parallel parallel) {
  // The cost of a group of rows or of panels is that of its products, or of
  // reading its weights.
  constexpr int64_t kGrainProducts = int64_t{1} << 21;
  constexpr int64_t kGrainWeights = int64_t{1} << 18;
  // The longer side is split, so that what is read twice is the smaller of the
  // two matrices.
  if (weights.n() >= m) {
    constexpr int64_t kGroup = 4 * kPanel;
    const int64_t groups = (weights.n() + kGroup - 1) / kGroup;
    const int64_t bytes = std::max<int64_t>(kGroup * weights.k(), 1);
    const int64_t grain =
        std::min(kGrainWeights / bytes,
                 kGrainProducts / (bytes * std::max<int64_t>(m, 1)));
    parallel(groups, std::max<int64_t>(grain, 1),
             [&](int64_t begin, int64_t end) {
               GemmPart(a, a_stride, 0, m, weights, plan, begin * kGroup,
                        std::min(end * kGroup, weights.n()), mode, out);
             });
    return;
  }
  constexpr int64_t kGroup = 16;
  const int64_t groups = (m + kGroup - 1) / kGroup;
  const int64_t products =
      std::max<int64_t>(kGroup * weights.n() * weights.k(), 1);
  parallel(groups, std::max<int64_t>(kGrainProducts / products, 1),
           [&](int64_t begin, int64_t end) {
             GemmPart(a, a_stride, begin * kGroup, std::min(end * kGroup, m),
                      weights, plan, 0, weights.n(), mode, out);
           });
}

}  // namespace ns::kernels
