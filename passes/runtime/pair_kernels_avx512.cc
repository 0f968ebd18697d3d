#include <immintrin.h>

#include "passes/runtime/pair_kernels.h"

namespace ns {
namespace {

constexpr int kLanes = 16;
// Independent sums, to hide the latency of additions.
constexpr int kUnroll = 4;

struct Accumulators {
  __m512 x2 = _mm512_setzero_ps();
  __m512 y2 = _mm512_setzero_ps();
  __m512 e2 = _mm512_setzero_ps();
};

struct Extremes {
  explicit Extremes(__m512 x, __m512 y)
      : min_x(x), max_x(x), min_y(y), max_y(y) {}

  void Add(__m512 x, __m512 y, __m512 error) {
    // Of the two absolute values the larger.
    max_error = _mm512_range_ps(max_error, error, 0xB);
    min_x = _mm512_min_ps(min_x, x);
    max_x = _mm512_max_ps(max_x, x);
    min_y = _mm512_min_ps(min_y, y);
    max_y = _mm512_max_ps(max_y, y);
  }

  __m512 max_error = _mm512_setzero_ps();
  __m512 min_x;
  __m512 max_x;
  __m512 min_y;
  __m512 max_y;
};

inline void Add(__m512 x, __m512 y, Accumulators& sums, Extremes& extremes) {
  const __m512 error = _mm512_sub_ps(x, y);
  sums.x2 = _mm512_fmadd_ps(x, x, sums.x2);
  sums.y2 = _mm512_fmadd_ps(y, y, sums.y2);
  sums.e2 = _mm512_fmadd_ps(error, error, sums.e2);
  extremes.Add(x, y, error);
}

double Sum(const Accumulators (&sums)[kUnroll], __m512 Accumulators::*member) {
  double total = 0;
  for (const Accumulators& part : sums) {
    const __m512 lanes = part.*member;
    const __m512d wide =
        _mm512_add_pd(_mm512_cvtps_pd(_mm512_castps512_ps256(lanes)),
                      _mm512_cvtps_pd(_mm512_extractf32x8_ps(lanes, 1)));
    total += _mm512_reduce_add_pd(wide);
  }
  return total;
}

// `Y` loads 16 values of the other side: y(i), or y(i, mask) at the end, where
// lanes outside the mask repeat the first value.
template <typename Y>
inline PairBlock Accumulate(const float* x, const Y& y, int64_t count) {
  Accumulators sums[kUnroll];
  const __m512 first_x = _mm512_set1_ps(x[0]);
  const __m512 first_y = y.First();
  Extremes extremes(first_x, first_y);
  int64_t i = 0;
  for (; i + kUnroll * kLanes <= count; i += kUnroll * kLanes) {
    for (int part = 0; part < kUnroll; ++part) {
      const int64_t at = i + part * kLanes;
      Add(_mm512_loadu_ps(x + at), y(at), sums[part], extremes);
    }
  }
  for (; i < count; i += kLanes) {
    const int64_t left = count - i;
    const __mmask16 mask =
        left >= kLanes ? 0xFFFF : static_cast<__mmask16>((1u << left) - 1);
    const __m512 values_x = _mm512_maskz_loadu_ps(mask, x + i);
    const __m512 values_y = _mm512_maskz_mov_ps(mask, y(i, mask));
    const __m512 error = _mm512_sub_ps(values_x, values_y);
    sums[0].x2 = _mm512_fmadd_ps(values_x, values_x, sums[0].x2);
    sums[0].y2 = _mm512_fmadd_ps(values_y, values_y, sums[0].y2);
    sums[0].e2 = _mm512_fmadd_ps(error, error, sums[0].e2);
    extremes.Add(_mm512_mask_mov_ps(first_x, mask, values_x),
                 _mm512_mask_mov_ps(first_y, mask, values_y), error);
  }
  PairBlock block;
  block.x2 = Sum(sums, &Accumulators::x2);
  block.y2 = Sum(sums, &Accumulators::y2);
  block.e2 = Sum(sums, &Accumulators::e2);
  block.max_abs_error = _mm512_reduce_max_ps(extremes.max_error);
  block.min_x = _mm512_reduce_min_ps(extremes.min_x);
  block.max_x = _mm512_reduce_max_ps(extremes.max_x);
  block.min_y = _mm512_reduce_min_ps(extremes.min_y);
  block.max_y = _mm512_reduce_max_ps(extremes.max_y);
  return block;
}

struct FloatLoader {
  const float* y;

  __m512 First() const { return _mm512_set1_ps(y[0]); }
  __m512 operator()(int64_t i) const { return _mm512_loadu_ps(y + i); }
  __m512 operator()(int64_t i, __mmask16 mask) const {
    return _mm512_maskz_loadu_ps(mask, y + i);
  }
};

template <bool kFlipSign>
struct CodeLoader {
  CodeLoader(const uint8_t* codes, const CodeFormat& format)
      : y(codes),
        scale(_mm512_set1_ps(format.scale)),
        zero_point(_mm512_set1_epi32(format.zero_point)) {}

  __m512 First() const { return (*this)(0, 1); }
  __m512 operator()(int64_t i) const {
    return Dequantize(_mm_loadu_si128(reinterpret_cast<const __m128i*>(y + i)));
  }
  __m512 operator()(int64_t i, __mmask16 mask) const {
    const __m512 values = Dequantize(_mm_maskz_loadu_epi8(mask, y + i));
    return mask == 1 ? _mm512_broadcastss_ps(_mm512_castps512_ps128(values))
                     : values;
  }
  __m512 Dequantize(__m128i codes) const {
    if (kFlipSign) {
      codes = _mm_xor_si128(codes, _mm_set1_epi8(static_cast<char>(0x80)));
    }
    const __m512i steps =
        _mm512_sub_epi32(_mm512_cvtepu8_epi32(codes), zero_point);
    return _mm512_mul_ps(_mm512_cvtepi32_ps(steps), scale);
  }

  const uint8_t* y;
  __m512 scale;
  __m512i zero_point;
};

PairBlock Floats(const float* x, const float* y, int64_t count) {
  return Accumulate(x, FloatLoader{y}, count);
}

PairBlock Codes(const float* x, const uint8_t* y, const CodeFormat& format,
                int64_t count) {
  return format.flip_sign ? Accumulate(x, CodeLoader<true>(y, format), count)
                          : Accumulate(x, CodeLoader<false>(y, format), count);
}

}  // namespace

const PairKernels& Avx512PairKernels() {
  static constexpr PairKernels kKernels = {"avx512", Floats, Codes};
  return kKernels;
}

}  // namespace ns
