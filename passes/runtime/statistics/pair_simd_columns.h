// Adds up the columns of x^2 and (x - y)^2 with vector instructions.
//
// A template over a class `V` of an instruction set: see pair_kernels_simd.h.
#ifndef PASSES_RUNTIME_STATISTICS_PAIR_SIMD_COLUMNS_H_
#define PASSES_RUNTIME_STATISTICS_PAIR_SIMD_COLUMNS_H_

#include <cstdint>

namespace ns {

// The sums of x^2 and of (x - y)^2 for the columns of one vector: of the lower
// half of the columns in element 0, of the upper half in element 1.
template <typename V>
struct ColumnSums {
  typename V::Doubles x2[2] = {};
  typename V::Doubles e2[2] = {};
};

// Adds the two halves of `more` to `sums`.
// Adds the two halves of `more` to `sums`.
template <typename V>
inline void AddHalves(typename V::Floats more, typename V::Doubles (&sums)[2]) {
  sums[0] = V::Add(sums[0], V::LowHalf(more));
  sums[1] = V::Add(sums[1], V::HighHalf(more));
}

// Adds the squares of `rows` rows to `sums`, for the columns in `some`. `x` and
// `y` point to the first of these columns, and rows are `stride` elements
// apart.
// Adds the squares of `rows` rows to `sums`, for the columns in `some`. `x` and
// `y` point to the first of these columns, and rows are `stride` elements
// apart.
template <typename V>
inline void AddRowsInDouble(const float* x, const float* y, int64_t rows,
                            int64_t stride, typename V::Lanes some,
                            ColumnSums<V>& sums) {
  const auto add = [&](typename V::Doubles a, typename V::Doubles b, int half) {
    const typename V::Doubles error = V::Subtract(a, b);
    sums.x2[half] = V::MultiplyAdd(a, a, sums.x2[half]);
    sums.e2[half] = V::MultiplyAdd(error, error, sums.e2[half]);
  };
  for (int64_t at = 0; at < rows * stride; at += stride) {
    const typename V::Floats a = V::Load(x + at, some);
    const typename V::Floats b = V::Load(y + at, some);
    add(V::LowHalf(a), V::LowHalf(b), 0);
    add(V::HighHalf(a), V::HighHalf(b), 1);
  }
}

// Does the same in float, which is faster, and adds the result to `sums`. Where
// squares leave the range in which float is accurate, it calls AddRowsInDouble
// instead. `rows` must be few, so that the float sums stay accurate.
template <typename V>
inline void AddRows(const float* x, const float* y, int64_t rows,
                    int64_t stride, typename V::Lanes some,
                    ColumnSums<V>& sums) {
  typename V::Floats x2 = V::Set(0.0F);
  typename V::Floats e2 = x2;
  typename V::Floats x_bits = x2;
  typename V::Floats e_bits = x2;
  for (int64_t at = 0; at < rows * stride; at += stride) {
    const typename V::Floats value = V::Load(x + at, some);
    const typename V::Floats error = V::Subtract(value, V::Load(y + at, some));
    x2 = V::MultiplyAdd(value, value, x2);
    e2 = V::MultiplyAdd(error, error, e2);
    x_bits = V::Or(x_bits, value);
    e_bits = V::Or(e_bits, error);
  }
  if (V::AreSafe(x2, x_bits) && V::AreSafe(e2, e_bits)) {
    AddHalves<V>(x2, sums.x2);
    AddHalves<V>(e2, sums.e2);
  } else {
    AddRowsInDouble<V>(x, y, rows, stride, some, sums);
  }
}

// Adds `more` to the `count` elements of `sums`, at most V::kLanes of them.
// Adds `more` to the `count` elements of `sums`, at most V::kLanes of them.
template <typename V>
inline void AddTo(double* sums, int64_t count,
                  const typename V::Doubles (&more)[2]) {
  constexpr int kHalf = V::kLanes / 2;
  if (count >= V::kLanes) {
    V::Store(sums, V::Add(V::Load(sums), more[0]));
    V::Store(sums + kHalf, V::Add(V::Load(sums + kHalf), more[1]));
    return;
  }
  double values[V::kLanes];
  V::Store(values, more[0]);
  V::Store(values + kHalf, more[1]);
  for (int64_t i = 0; i < count; ++i) {
    sums[i] += values[i];
  }
}

// Adds the sum of x^2 over each column to x2[column], and that of (x - y)^2 to
// e2[column]. `x` and `y` are dense, [rows][columns]; `x2` and `e2` have
// `columns` elements. This is PairKernels::columns.
//
// It goes through the columns of one vector from the top to the bottom, then
// through those of the next.
template <typename V>
inline void AddColumns(const float* x, const float* y, int64_t rows,
                       int64_t columns, double* x2, double* e2) {
  constexpr int64_t kRows = 16;
  for (int64_t column = 0; column < columns; column += V::kLanes) {
    const int64_t width = columns - column;
    ColumnSums<V> sums;
    for (int64_t row = 0; row < rows; row += kRows) {
      const int64_t at = row * columns + column;
      AddRows<V>(x + at, y + at, rows - row < kRows ? rows - row : kRows,
                 columns, V::FirstLanes(width), sums);
    }
    AddTo<V>(x2 + column, width, sums.x2);
    AddTo<V>(e2 + column, width, sums.e2);
  }
}

}  // namespace ns

#endif  // PASSES_RUNTIME_STATISTICS_PAIR_SIMD_COLUMNS_H_
