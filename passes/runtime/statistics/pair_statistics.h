// Computes the sums over a float tensor x and a quantized tensor y from which
// every error figure follows.
#ifndef PASSES_RUNTIME_STATISTICS_PAIR_STATISTICS_H_
#define PASSES_RUNTIME_STATISTICS_PAIR_STATISTICS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace at {
class Tensor;
}  // namespace at

namespace ns {

// The sums and the figures of a pair of tensors. Mergeable: statistics of parts
// add up to those of the whole.
//
// Sums are in double, or of 16 to 32 floats each and then in double: figures in
// dB are within 1e-6 of those in double, or 3e-6 where all elements of a tensor
// are the same, as their squares all round the same way. sum_xy follows from
// the other sums, so that Cosine loses digits where one tensor is far longer
// than the other: it is within about 1e-7 (r + 1/r) of the one in double, r =
// |y| / |x|, and four times that where all elements of a tensor are the same.
// Equal tensors have an error of exactly zero. Elements that are the same
// infinity on both sides, as masked scores are, count as equal: they are part
// of count, the extremes, inf_x and inf_y, and of no sum. Nothing else is
// skipped: where x or y is nan or inf, so are the sums it enters. Values beyond
// 1e154 in a float64 tensor overflow to inf.
struct PairStatistics {
  int64_t count = 0;         // elements
  double sum_x2 = 0;         // sum of x^2
  double sum_y2 = 0;         // sum of y^2
  double sum_xy = 0;         // sum of x y
  double sum_e2 = 0;         // sum of (x - y)^2
  double sum_e = 0;          // sum of x - y
  double max_abs_error = 0;  // max |x - y|; nan as soon as one difference is
  // The extremes: nan as soon as one value is; inf and -inf for no elements.
  double min_x = std::numeric_limits<double>::infinity();
  double max_x = -std::numeric_limits<double>::infinity();
  double min_y = std::numeric_limits<double>::infinity();
  double max_y = -std::numeric_limits<double>::infinity();
  // The numbers of elements that are nan, and that are inf or -inf.
  int64_t nan_x = 0;
  int64_t inf_x = 0;
  int64_t nan_y = 0;
  int64_t inf_y = 0;

  void Merge(const PairStatistics& other);

  // All members as numbers, to save and to load. FromNumbers throws c10::Error
  // for a count that is invalid.
  static constexpr size_t kNumbers = 15;
  using Numbers = std::array<double, kNumbers>;
  Numbers ToNumbers() const;
  static PairStatistics FromNumbers(const Numbers& numbers);

  // True where there are elements and no two differ, even if all are zero. In
  // statistics without max_abs_error, as CompareErrors returns, zeros may be
  // underflows.
  bool AreEqual() const;

  // The figures of a layer, which every report shows as they are. Equal tensors
  // have the same ones whether they are zero or not, +inf, 0 and 1: a layer
  // that is all zero on both sides, such as a mask, has no error. Without
  // elements MaxAbsError is 0 and the others are nan. (PyTorch's compute_sqnr
  // and its like give 0/0 = nan for zeros; ns/suite/comparisons.h mirrors
  // them.)
  //
  // SqnrDb is 20 log10(|x| / |x - y|) in dB; -inf where only x is zero.
  double SqnrDb() const;
  // |x - y| / |x|; +inf where only x is zero.
  double NormalizedL2() const;
  // x . y / (|x| |y|); nan where only one of them is zero.
  double Cosine() const;
  // max |x - y|.
  double MaxAbsError() const { return max_abs_error; }
  // The mean of y - x, in the units of the values: by how much y is shifted. 0
  // for equal tensors, as BiasShare.
  double MeanError() const;
  // The share of the mean squared error that the shift alone makes, from 0 to
  // 1: MeanError()^2 / mean (x - y)^2. Near 1, correcting a bias would mend it.
  double BiasShare() const;
};

// Returns a count of elements that was saved as a number. Throws c10::Error for
// an invalid one: a negative number, a fraction, nan, inf, and what is above
// 2^53.
int64_t CountFromNumber(double number);

// Compares `x` with `y` element by element in logical (not memory) order, in
// one pass and one thread. Either may be quantized (per tensor or per channel;
// its dequantized values count), of any floating, integer or bool dtype, and of
// any strides. A complex number counts as two elements, its parts: sums of
// squares are those of absolute values. Both are on the CPU. Throws c10::Error
// when the shapes differ, for an undefined tensor and for other dtypes.
//
// Copies nothing when both have the same dense memory layout, unless one is
// sparse, complex beside a real one, a lazily conjugated or negated view, or
// quantized other than affinely to 8 bits: other dtypes are converted, and
// quantized values dequantized, a few thousand at a time.
PairStatistics ComparePair(const at::Tensor& x, const at::Tensor& y);

// Computes what SqnrDb and NormalizedL2 need, in less time: only count, sum_x2
// and sum_e2 are filled, and the other figures of the result mean nothing.
// Otherwise it is like ComparePair.
PairStatistics CompareErrors(const at::Tensor& x, const at::Tensor& y);

}  // namespace ns

#endif  // PASSES_RUNTIME_STATISTICS_PAIR_STATISTICS_H_
