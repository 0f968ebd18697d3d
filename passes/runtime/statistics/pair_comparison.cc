// Implements the functions of pair_statistics.h that read tensors.
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <memory>

#include "passes/runtime/statistics/pair_blocks.h"
#include "passes/runtime/statistics/pair_operands.h"
#include "passes/runtime/statistics/pair_statistics.h"

namespace ns {
namespace {

PairStatistics CompareDoubles(const PairOperands& pair) {
  PairStatistics sums;
  double x[kPairBlock];
  double y[kPairBlock];
  for (int64_t first = 0; first < pair.count(); first += kPairBlock) {
    const int64_t size = std::min(kPairBlock, pair.count() - first);
    sums.Merge(CompareExactly(pair.x.Doubles(first, size, x),
                              pair.y.Doubles(first, size, y), size));
  }
  return sums;
}

}  // namespace

PairStatistics ComparePair(const at::Tensor& x, const at::Tensor& y) {
  at::NoGradGuard no_grad;
  const PairOperands pair(x, y);
  if (pair.NeedDouble()) {
    return CompareDoubles(pair);
  }
  PairStatistics sums;
  PairReader reader(pair);
  while (sums.count < pair.count()) {
    sums.Merge(
        ComparePiece(reader.Read(sums.count, pair.count() - sums.count)));
  }
  return sums;
}

PairStatistics CompareErrors(const at::Tensor& x, const at::Tensor& y) {
  at::NoGradGuard no_grad;
  const PairOperands pair(x, y);
  PairStatistics sums;
  if (pair.NeedDouble()) {
    const PairStatistics all = CompareDoubles(pair);
    sums.count = all.count;
    sums.sum_x2 = all.sum_x2;
    sums.sum_e2 = all.sum_e2;
    return sums;
  }
  PairReader reader(pair);
  while (sums.count < pair.count()) {
    const PairPiece piece = reader.Read(sums.count, pair.count() - sums.count);
    const PairErrors errors = SumErrors(piece);
    sums.count += piece.count;
    sums.sum_x2 += errors.x2;
    sums.sum_e2 += errors.e2;
  }
  return sums;
}

}  // namespace ns
