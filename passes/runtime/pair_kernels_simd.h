// The loops of the vector kernels, once for all instruction sets.
//
// Each is a template over a class `V` of an instruction set, which holds its
// vectors and what they can do. `V` is local to the file that includes this,
// and so is what is made of these templates: files are compiled with different
// flags, and none may take the code of another. So there is nothing but
// templates here.
#ifndef PASSES_RUNTIME_PAIR_KERNELS_SIMD_H_
#define PASSES_RUNTIME_PAIR_KERNELS_SIMD_H_

#include <cstdint>
#include <cstring>

#include "passes/runtime/pair_kernels.h"

namespace ns {

// Vectors of one turn of a loop.
inline constexpr int kUnroll = 4;

// How many elements ahead memory is asked for: as far as a cache that all cores
// share needs.
inline constexpr int64_t kAhead = kPairBlock;

// Between these, a sum of squares in float has lost nothing that matters.
inline constexpr float kTinySum = 1e-28F;
inline constexpr float kHugeSum = 1e30F;

// Elements of one turn of a loop: as many as there are bytes in a vector.
template <typename V>
inline constexpr int64_t kStep = int64_t{kUnroll} * V::kLanes;

template <typename V>
inline void PrefetchFloats(const float* values) {
  constexpr int64_t kLine = 16;
  for (int64_t i = 0; i < kStep<V>; i += kLine) {
    V::Prefetch(values + i);
  }
}

// A sum of squares: in float for a block, in double from block to block.
// Several sums in turn hide the latency of additions.
template <typename V, int kSums>
class SquareSum {
 public:
  void Add(typename V::Floats value, int part) {
    typename V::Floats& sum = sums_[part % kSums];
    sum = V::MultiplyAdd(value, value, sum);
  }
  void EndBlock() {
    for (int i = 1; i < kSums; ++i) {
      sums_[0] = V::Add(sums_[0], sums_[i]);
    }
    total_ =
        V::Add(total_, V::Add(V::LowHalf(sums_[0]), V::HighHalf(sums_[0])));
    for (typename V::Floats& sum : sums_) {
      sum = V::Set(0.0F);
    }
  }
  double Total() const { return V::Sum(total_); }

 private:
  typename V::Floats sums_[kSums] = {};
  typename V::Doubles total_ = {};
};

// Values of the other side, where memory holds floats. With `some`, those lanes
// only: zero in the others.
template <typename V>
class FloatLoader {
 public:
  explicit FloatLoader(const float* values) : values_(values) {}

  typename V::Floats Load(int64_t i) const { return V::Load(values_ + i); }
  typename V::Floats Load(int64_t i, typename V::Lanes some) const {
    return V::Load(values_ + i, some);
  }
  void Prefetch(int64_t i) const { PrefetchFloats<V>(values_ + i); }

 private:
  const float* values_;
};

// The same where memory holds codes.
template <typename V, bool kFlipSign, bool kHasRest>
class CodeLoader {
 public:
  CodeLoader(const uint8_t* codes, const CodeFormat& format)
      : codes_(codes),
        steps_(format.zero_point),
        scale_(V::Set(format.scale)),
        scale_rest_(V::Set(format.scale_rest)) {}

  typename V::Floats Load(int64_t i) const {
    return Scaled(steps_(V::LoadCodes(codes_ + i)));
  }
  typename V::Floats Load(int64_t i, typename V::Lanes some) const {
    return V::Keep(some, Scaled(steps_(V::LoadCodes(codes_ + i, some))));
  }
  void Prefetch(int64_t i) const { V::Prefetch(codes_ + i); }

 private:
  typename V::Floats Scaled(typename V::Floats steps) const {
    return kHasRest
               ? V::MultiplyAdd(steps, scale_, V::Multiply(steps, scale_rest_))
               : V::Multiply(steps, scale_);
  }

  const uint8_t* codes_;
  typename V::template Steps<kFlipSign> steps_;
  typename V::Floats scale_;
  typename V::Floats scale_rest_;
};

// Calls `run(first, end)` for blocks of few enough additions to stay accurate
// in float: 16 in each lane, or twice as many.
template <typename V, typename Run>
inline void ForBlocks(int64_t count, const Run& run) {
  constexpr int64_t kBlock = 16 * kStep<V>;
  for (int64_t first = 0; first < count; first += kBlock) {
    run(first, count - first < kBlock ? count : first + kBlock);
  }
}

template <typename V, typename Y>
inline PairErrors SumErrors(const float* x, const Y& y, int64_t count) {
  SquareSum<V, kUnroll> x2;
  SquareSum<V, kUnroll> e2;
  ForBlocks<V>(count, [&](int64_t i, int64_t end) {
    for (; i + kStep<V> <= end; i += kStep<V>) {
      PrefetchFloats<V>(x + i + kAhead);
      y.Prefetch(i + kAhead);
      for (int part = 0; part < kUnroll; ++part) {
        const int64_t at = i + part * V::kLanes;
        const typename V::Floats value = V::Load(x + at);
        x2.Add(value, part);
        e2.Add(V::Subtract(value, y.Load(at)), part);
      }
    }
    for (; i < end; i += V::kLanes) {
      const typename V::Lanes some = V::FirstLanes(end - i);
      const typename V::Floats value = V::Load(x + i, some);
      x2.Add(value, 0);
      e2.Add(V::Subtract(value, y.Load(i, some)), 0);
    }
    x2.EndBlock();
    e2.EndBlock();
  });
  return {x2.Total(), e2.Total()};
}

template <typename V, typename Choose>
inline float Reduce(typename V::Floats lanes, const Choose& choose) {
  float values[V::kLanes];
  V::Store(values, lanes);
  for (const float value : values) {
    values[0] = choose(values[0], value);
  }
  return values[0];
}

// The smallest and the largest of floats.
template <typename V>
class FloatRange {
 public:
  explicit FloatRange(float first) : min_(V::Set(first)), max_(V::Set(first)) {}

  void Add(typename V::Floats values) {
    min_ = V::Min(min_, values);
    max_ = V::Max(max_, values);
  }
  void Add(typename V::Floats values, typename V::Lanes some) {
    min_ = V::Choose(some, V::Min(min_, values), min_);
    max_ = V::Choose(some, V::Max(max_, values), max_);
  }
  void Finish(float& min, float& max) const {
    min = Reduce<V>(min_, [](float a, float b) { return a < b ? a : b; });
    max = Reduce<V>(max_, [](float a, float b) { return a > b ? a : b; });
  }

 private:
  typename V::Floats min_;
  typename V::Floats max_;
};

// What Accumulate wants to know of y beside the error: its squares and its
// range where it is floats.
template <typename V>
class FloatObserver {
 public:
  explicit FloatObserver(float first) : range_(first) {}

  void AddStep(int64_t /*i*/) {}
  void AddRest(int64_t /*i*/, int64_t /*count*/) {}
  void Add(typename V::Floats y) { range_.Add(y); }
  void Add(typename V::Floats y, typename V::Lanes some) {
    range_.Add(y, some);
  }
  void Finish(PairBlock& block) const {
    range_.Finish(block.min_y, block.max_y);
  }

 private:
  FloatRange<V> range_;
};

// The same where y is codes: its range is that of its codes, four times as many
// of which are in a vector.
template <typename V, bool kFlipSign, bool kHasRest>
class CodeObserver {
 public:
  CodeObserver(const uint8_t* codes, const CodeFormat& format)
      : codes_(codes),
        format_(format),
        min_(V::SetBytes(0xFF)),
        max_(V::SetBytes(0)) {}

  void AddStep(int64_t i) { AddCodes(V::LoadBytes(codes_ + i)); }
  void AddRest(int64_t i, int64_t count) {
    // The first one over and over in what is left of a vector.
    uint8_t rest[kStep<V>];
    std::memset(rest, codes_[i], sizeof(rest));
    std::memcpy(rest, codes_ + i, static_cast<size_t>(count));
    AddCodes(V::LoadBytes(rest));
  }
  void Add(typename V::Floats /*y*/) {}
  void Add(typename V::Floats /*y*/, typename V::Lanes /*some*/) {}
  void Finish(PairBlock& block) const {
    uint8_t lows[kStep<V>];
    uint8_t highs[kStep<V>];
    V::StoreBytes(lows, min_);
    V::StoreBytes(highs, max_);
    uint8_t low = lows[0];
    uint8_t high = highs[0];
    for (int64_t i = 1; i < kStep<V>; ++i) {
      low = lows[i] < low ? lows[i] : low;
      high = highs[i] > high ? highs[i] : high;
    }
    block.min_y = Value(low);
    block.max_y = Value(high);
  }

 private:
  void AddCodes(typename V::Bytes codes) {
    if (kFlipSign) {
      codes = V::Xor(codes, V::SetBytes(0x80));
    }
    min_ = V::Min(min_, codes);
    max_ = V::Max(max_, codes);
  }
  float Value(uint8_t code) const {
    const uint8_t byte = kFlipSign ? code ^ 0x80 : code;
    const CodeLoader<V, kFlipSign, kHasRest> loader(&byte, format_);
    float value[V::kLanes];
    V::Store(value, loader.Load(0, V::FirstLanes(1)));
    return value[0];
  }

  const uint8_t* codes_;
  CodeFormat format_;
  typename V::Bytes min_;
  typename V::Bytes max_;
};

// Counts the codes, too. Vectors are no help here: one counter is stored for
// each element, and what the vector units do meanwhile costs nothing.
template <typename V, bool kFlipSign, bool kHasRest>
class CodeCounter : public CodeObserver<V, kFlipSign, kHasRest> {
 public:
  using Base = CodeObserver<V, kFlipSign, kHasRest>;

  CodeCounter(const uint8_t* codes, const CodeFormat& format,
              ByteCounts& counts)
      : Base(codes, format), codes_(codes), counts_(counts) {}

  void AddStep(int64_t i) {
    Base::AddStep(i);
    for (int64_t word = i; word < i + kStep<V>; word += 8) {
      uint64_t bytes;
      std::memcpy(&bytes, codes_ + word, sizeof(bytes));
      for (int byte = 0; byte < 8; ++byte) {
        ++counts_.tables[byte % ByteCounts::kTables][bytes & 0xFF];
        bytes >>= 8;
      }
    }
  }
  void AddRest(int64_t i, int64_t count) {
    Base::AddRest(i, count);
    CountBytes(codes_ + i, count, counts_);
  }

 private:
  const uint8_t* codes_;
  ByteCounts& counts_;
};

template <typename V, typename Y, typename Observer>
inline PairBlock Accumulate(const float* x, const Y& y, Observer observer,
                            int64_t count) {
  using Floats = typename V::Floats;
  SquareSum<V, V::kSums> x2;
  SquareSum<V, V::kSums> y2;
  SquareSum<V, V::kSums> e2;
  FloatRange<V> range_x(x[0]);
  Floats max_error = V::Set(0.0F);
  const auto add = [&](Floats a, Floats b, int part) {
    const Floats error = V::Subtract(a, b);
    x2.Add(a, part);
    e2.Add(error, part);
    y2.Add(b, part);
    max_error = V::LargerMagnitude(max_error, error);
  };
  ForBlocks<V>(count, [&](int64_t i, int64_t end) {
    for (; i + kStep<V> <= end; i += kStep<V>) {
      PrefetchFloats<V>(x + i + kAhead);
      y.Prefetch(i + kAhead);
      observer.AddStep(i);
      for (int part = 0; part < kUnroll; ++part) {
        const int64_t at = i + part * V::kLanes;
        const Floats a = V::Load(x + at);
        const Floats b = y.Load(at);
        add(a, b, part);
        range_x.Add(a);
        observer.Add(b);
      }
    }
    if (i < end) {
      observer.AddRest(i, end - i);
    }
    for (; i < end; i += V::kLanes) {
      const typename V::Lanes some = V::FirstLanes(end - i);
      const Floats a = V::Load(x + i, some);
      const Floats b = y.Load(i, some);
      add(a, b, 0);
      range_x.Add(a, some);
      observer.Add(b, some);
    }
    x2.EndBlock();
    y2.EndBlock();
    e2.EndBlock();
  });
  PairBlock block;
  block.x2 = x2.Total();
  block.y2 = y2.Total();
  block.e2 = e2.Total();
  block.max_abs_error =
      Reduce<V>(max_error, [](float a, float b) { return a > b ? a : b; });
  range_x.Finish(block.min_x, block.max_x);
  observer.Finish(block);
  return block;
}

// The functions of PairKernels.
template <typename V>
struct SimdKernels {
  // Those of codes in one kind of format.
  template <bool kFlipSign, bool kHasRest>
  struct OfCodes {
    using Loader = CodeLoader<V, kFlipSign, kHasRest>;

    static PairBlock Codes(const float* x, const uint8_t* y,
                           const CodeFormat& format, int64_t count) {
      return Accumulate<V>(x, Loader(y, format),
                           CodeObserver<V, kFlipSign, kHasRest>(y, format),
                           count);
    }

    static PairBlock CountedCodes(const float* x, const uint8_t* y,
                                  const CodeFormat& format, int64_t count,
                                  ByteCounts& counts) {
      return Accumulate<V>(
          x, Loader(y, format),
          CodeCounter<V, kFlipSign, kHasRest>(y, format, counts), count);
    }

    static PairErrors CodeErrors(const float* x, const uint8_t* y,
                                 const CodeFormat& format, int64_t count) {
      return SumErrors<V>(x, Loader(y, format), count);
    }

    static void Dequantize(const uint8_t* codes, const CodeFormat& format,
                           int64_t count, float* values) {
      const Loader loader(codes, format);
      int64_t i = 0;
      for (; i + V::kLanes <= count; i += V::kLanes) {
        V::Store(values + i, loader.Load(i));
      }
      if (i < count) {
        const typename V::Lanes some = V::FirstLanes(count - i);
        V::Store(values + i, some, loader.Load(i, some));
      }
    }
  };

  template <typename Function>
  static Function Choose(const CodeFormat& format, Function plain,
                         Function flipping, Function with_rest,
                         Function with_both) {
    if (format.scale_rest == 0) {
      return format.flip_sign ? flipping : plain;
    }
    return format.flip_sign ? with_both : with_rest;
  }

  static PairBlock Codes(const float* x, const uint8_t* y,
                         const CodeFormat& format, int64_t count) {
    return Choose(format, OfCodes<false, false>::Codes,
                  OfCodes<true, false>::Codes, OfCodes<false, true>::Codes,
                  OfCodes<true, true>::Codes)(x, y, format, count);
  }

  static PairBlock CountedCodes(const float* x, const uint8_t* y,
                                const CodeFormat& format, int64_t count,
                                ByteCounts& counts) {
    return Choose(
        format, OfCodes<false, false>::CountedCodes,
        OfCodes<true, false>::CountedCodes, OfCodes<false, true>::CountedCodes,
        OfCodes<true, true>::CountedCodes)(x, y, format, count, counts);
  }

  static PairErrors CodeErrors(const float* x, const uint8_t* y,
                               const CodeFormat& format, int64_t count) {
    return Choose(format, OfCodes<false, false>::CodeErrors,
                  OfCodes<true, false>::CodeErrors,
                  OfCodes<false, true>::CodeErrors,
                  OfCodes<true, true>::CodeErrors)(x, y, format, count);
  }

  static void Dequantize(const uint8_t* codes, const CodeFormat& format,
                         int64_t count, float* values) {
    Choose(format, OfCodes<false, false>::Dequantize,
           OfCodes<true, false>::Dequantize, OfCodes<false, true>::Dequantize,
           OfCodes<true, true>::Dequantize)(codes, format, count, values);
  }

  static PairBlock Floats(const float* x, const float* y, int64_t count) {
    return Accumulate<V>(x, FloatLoader<V>(y), FloatObserver<V>(y[0]), count);
  }

  static PairErrors FloatErrors(const float* x, const float* y, int64_t count) {
    return SumErrors<V>(x, FloatLoader<V>(y), count);
  }

  // Columns of one vector at a time, from the top to the bottom.
  static void Columns(const float* x, const float* y, int64_t rows,
                      int64_t columns, double* x2, double* e2) {
    constexpr int64_t kRows = 16;
    for (int64_t column = 0; column < columns; column += V::kLanes) {
      const int64_t width = columns - column;
      ColumnSums sums;
      for (int64_t row = 0; row < rows; row += kRows) {
        const int64_t at = row * columns + column;
        AddRows(x + at, y + at, rows - row < kRows ? rows - row : kRows,
                columns, V::FirstLanes(width), sums);
      }
      AddTo(x2 + column, width, sums.x2);
      AddTo(e2 + column, width, sums.e2);
    }
  }

  struct ColumnSums {
    typename V::Doubles x2[2] = {};
    typename V::Doubles e2[2] = {};
  };

  // Adds so few rows that sums stay accurate in float, where all squares are in
  // the range of float.
  static void AddRows(const float* x, const float* y, int64_t rows,
                      int64_t stride, typename V::Lanes some,
                      ColumnSums& sums) {
    typename V::Floats x2 = V::Set(0.0F);
    typename V::Floats e2 = x2;
    typename V::Floats x_bits = x2;
    typename V::Floats e_bits = x2;
    for (int64_t at = 0; at < rows * stride; at += stride) {
      const typename V::Floats value = V::Load(x + at, some);
      const typename V::Floats error =
          V::Subtract(value, V::Load(y + at, some));
      x2 = V::MultiplyAdd(value, value, x2);
      e2 = V::MultiplyAdd(error, error, e2);
      x_bits = V::Or(x_bits, value);
      e_bits = V::Or(e_bits, error);
    }
    if (V::AreSafe(x2, x_bits) && V::AreSafe(e2, e_bits)) {
      AddHalves(x2, sums.x2);
      AddHalves(e2, sums.e2);
    } else {
      AddRowsInDouble(x, y, rows, stride, some, sums);
    }
  }

  static void AddHalves(typename V::Floats more,
                        typename V::Doubles (&sums)[2]) {
    sums[0] = V::Add(sums[0], V::LowHalf(more));
    sums[1] = V::Add(sums[1], V::HighHalf(more));
  }

  static void AddRowsInDouble(const float* x, const float* y, int64_t rows,
                              int64_t stride, typename V::Lanes some,
                              ColumnSums& sums) {
    const auto add = [&](typename V::Doubles a, typename V::Doubles b,
                         int half) {
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

  static void AddTo(double* sums, int64_t count,
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

  static void DequantizeEach(const uint8_t* codes, bool flip_sign,
                             const double* scales, const int32_t* zero_points,
                             int64_t count, float* values) {
    const int32_t flip = flip_sign ? 0x80 : 0;
    for (int64_t i = 0; i < count; ++i) {
      const int32_t code = codes[i] ^ flip;
      values[i] = static_cast<float>((code - zero_points[i]) * scales[i]);
    }
  }

  static constexpr PairKernels Table(const char* isa) {
    return {isa,        Floats,  Codes,      CountedCodes,  FloatErrors,
            CodeErrors, Columns, Dequantize, DequantizeEach};
  }
};

}  // namespace ns

#endif  // PASSES_RUNTIME_PAIR_KERNELS_SIMD_H_
