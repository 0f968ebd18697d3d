#include <immintrin.h>

#include "passes/runtime/pair_kernels.h"

namespace ns {
namespace {

constexpr int kLanes = 8;
// Independent sums, to hide the latency of additions.
constexpr int kUnroll = 2;

struct Accumulators {
  __m256 x2 = _mm256_setzero_ps();
  __m256 y2 = _mm256_setzero_ps();
  __m256 e2 = _mm256_setzero_ps();
};

struct Extremes {
  Extremes(__m256 x, __m256 y) : min_x(x), max_x(x), min_y(y), max_y(y) {}

  __m256 max_error = _mm256_setzero_ps();
  __m256 min_x;
  __m256 max_x;
  __m256 min_y;
  __m256 max_y;
};

inline void Add(__m256 x, __m256 y, Accumulators& sums, Extremes& extremes) {
  const __m256 error = _mm256_sub_ps(x, y);
  sums.x2 = _mm256_fmadd_ps(x, x, sums.x2);
  sums.y2 = _mm256_fmadd_ps(y, y, sums.y2);
  sums.e2 = _mm256_fmadd_ps(error, error, sums.e2);
  const __m256 magnitude = _mm256_andnot_ps(_mm256_set1_ps(-0.0f), error);
  extremes.max_error = _mm256_max_ps(extremes.max_error, magnitude);
  extremes.min_x = _mm256_min_ps(extremes.min_x, x);
  extremes.max_x = _mm256_max_ps(extremes.max_x, x);
  extremes.min_y = _mm256_min_ps(extremes.min_y, y);
  extremes.max_y = _mm256_max_ps(extremes.max_y, y);
}

double Sum(const Accumulators (&sums)[kUnroll], __m256 Accumulators::*member) {
  double total = 0;
  for (const Accumulators& part : sums) {
    alignas(32) float lanes[kLanes];
    _mm256_store_ps(lanes, part.*member);
    for (const float lane : lanes) {
      total += lane;
    }
  }
  return total;
}

template <typename Choose>
float Reduce(__m256 values, const Choose& choose) {
  alignas(32) float lanes[kLanes];
  _mm256_store_ps(lanes, values);
  float chosen = lanes[0];
  for (const float lane : lanes) {
    chosen = choose(chosen, lane) ? chosen : lane;
  }
  return chosen;
}

float Smallest(__m256 values) {
  return Reduce(values, [](float a, float b) { return a < b; });
}

float Largest(__m256 values) {
  return Reduce(values, [](float a, float b) { return a > b; });
}

// `Y` loads 8 values of the other side: y(i).
template <typename Y>
inline PairBlock Accumulate(const float* x, const Y& y, int64_t count) {
  Accumulators sums[kUnroll];
  Extremes extremes(_mm256_set1_ps(x[0]), y.First());
  int64_t i = 0;
  for (; i + kUnroll * kLanes <= count; i += kUnroll * kLanes) {
    for (int part = 0; part < kUnroll; ++part) {
      const int64_t at = i + part * kLanes;
      Add(_mm256_loadu_ps(x + at), y(at), sums[part], extremes);
    }
  }
  PairBlock block;
  block.x2 = Sum(sums, &Accumulators::x2);
  block.y2 = Sum(sums, &Accumulators::y2);
  block.e2 = Sum(sums, &Accumulators::e2);
  block.max_abs_error = Largest(extremes.max_error);
  block.min_x = Smallest(extremes.min_x);
  block.max_x = Largest(extremes.max_x);
  block.min_y = Smallest(extremes.min_y);
  block.max_y = Largest(extremes.max_y);
  if (i < count) {
    const PairBlock rest = y.Rest(x + i, i, count - i);
    block.x2 += rest.x2;
    block.y2 += rest.y2;
    block.e2 += rest.e2;
    const auto keep = [](float& value, float other, bool larger) {
      value = (larger ? other > value : other < value) ? other : value;
    };
    keep(block.max_abs_error, rest.max_abs_error, true);
    keep(block.min_x, rest.min_x, false);
    keep(block.max_x, rest.max_x, true);
    keep(block.min_y, rest.min_y, false);
    keep(block.max_y, rest.max_y, true);
  }
  return block;
}

struct FloatLoader {
  const float* y;

  __m256 First() const { return _mm256_set1_ps(y[0]); }
  __m256 operator()(int64_t i) const { return _mm256_loadu_ps(y + i); }
  PairBlock Rest(const float* x, int64_t i, int64_t count) const {
    return ScalarPairKernels().floats(x, y + i, count);
  }
};

struct CodeLoader {
  CodeLoader(const uint8_t* codes, const CodeFormat& code_format)
      : y(codes),
        format(code_format),
        flip(_mm_set1_epi8(static_cast<char>(format.flip_sign ? 0x80 : 0))),
        scale(_mm256_set1_ps(format.scale)),
        zero_point(_mm256_set1_epi32(format.zero_point)) {}

  __m256 First() const {
    return Dequantize(_mm_set1_epi8(static_cast<char>(y[0])));
  }
  __m256 operator()(int64_t i) const {
    return Dequantize(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(y + i)));
  }
  __m256 Dequantize(__m128i codes) const {
    const __m256i steps = _mm256_sub_epi32(
        _mm256_cvtepu8_epi32(_mm_xor_si128(codes, flip)), zero_point);
    return _mm256_mul_ps(_mm256_cvtepi32_ps(steps), scale);
  }
  PairBlock Rest(const float* x, int64_t i, int64_t count) const {
    return ScalarPairKernels().codes(x, y + i, format, count);
  }

  const uint8_t* y;
  const CodeFormat& format;
  __m128i flip;
  __m256 scale;
  __m256i zero_point;
};

PairBlock Floats(const float* x, const float* y, int64_t count) {
  return Accumulate(x, FloatLoader{y}, count);
}

PairBlock Codes(const float* x, const uint8_t* y, const CodeFormat& format,
                int64_t count) {
  return Accumulate(x, CodeLoader(y, format), count);
}

}  // namespace

const PairKernels& Avx2PairKernels() {
  static constexpr PairKernels kKernels = {"avx2", Floats, Codes};
  return kKernels;
}

}  // namespace ns
