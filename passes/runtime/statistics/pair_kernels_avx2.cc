#include <immintrin.h>

#include <cstring>

#include "passes/runtime/statistics/pair_kernels.h"
#include "passes/runtime/statistics/pair_kernels_simd.h"
#include "passes/runtime/statistics/pair_simd_values.h"

namespace ns {
namespace {

struct Avx2 {
  static constexpr int kLanes = 8;
  // The sums of each kind: with more, sums of all kinds would not fit in
  // registers.
  static constexpr int kSums = 2;

  using Floats = __m256;
  using Doubles = __m256d;
  using Bytes = __m256i;
  // The number of the first lanes that are in use.
  using Lanes = int;

  static Lanes FirstLanes(int64_t left) {
    return left >= kLanes ? kLanes : static_cast<Lanes>(left);
  }
  static __m256i Mask(Lanes some) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(some),
                              _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0));
  }

  static void Prefetch(const void* at) { _mm_prefetch(at, _MM_HINT_T0); }
  static Floats Set(float value) { return _mm256_set1_ps(value); }
  static Floats Load(const float* from) { return _mm256_loadu_ps(from); }
  static Floats Load(const float* from, Lanes some) {
    return _mm256_maskload_ps(from, Mask(some));
  }
  static Doubles Load(const double* from) { return _mm256_loadu_pd(from); }
  static void Store(float* to, Floats a) { _mm256_storeu_ps(to, a); }
  static void Store(float* to, Lanes some, Floats a) {
    _mm256_maskstore_ps(to, Mask(some), a);
  }
  static void Store(double* to, Doubles a) { _mm256_storeu_pd(to, a); }

  static Floats Add(Floats a, Floats b) { return _mm256_add_ps(a, b); }
  static Doubles Add(Doubles a, Doubles b) { return _mm256_add_pd(a, b); }
  static Floats Subtract(Floats a, Floats b) { return _mm256_sub_ps(a, b); }
  static Doubles Subtract(Doubles a, Doubles b) { return _mm256_sub_pd(a, b); }
  static Floats Multiply(Floats a, Floats b) { return _mm256_mul_ps(a, b); }
  static Floats MultiplyAdd(Floats a, Floats b, Floats c) {
    return _mm256_fmadd_ps(a, b, c);
  }
  static Doubles MultiplyAdd(Doubles a, Doubles b, Doubles c) {
    return _mm256_fmadd_pd(a, b, c);
  }
  static Floats Min(Floats a, Floats b) { return _mm256_min_ps(a, b); }
  static Floats Max(Floats a, Floats b) { return _mm256_max_ps(a, b); }
  // Returns the larger of `a` and the magnitude of `b`. `a` is not negative.
  static Floats LargerMagnitude(Floats a, Floats b) {
    return Max(a, _mm256_andnot_ps(Set(-0.0F), b));
  }
  static Floats Or(Floats a, Floats b) { return _mm256_or_ps(a, b); }
  // Whether each sum of squares is safe: it consists of zeros only (`bits` are
  // the bits of all terms), or it is in the range where squares outside of
  // float's range do not matter.
  static bool AreSafe(Floats sums, Floats bits) {
    const Floats in_range =
        _mm256_and_ps(_mm256_cmp_ps(sums, Set(kTinySum), _CMP_GT_OQ),
                      _mm256_cmp_ps(sums, Set(kHugeSum), _CMP_LT_OQ));
    const Floats zero = _mm256_cmp_ps(bits, _mm256_setzero_ps(), _CMP_EQ_OQ);
    return _mm256_movemask_ps(_mm256_or_ps(in_range, zero)) == 0xFF;
  }
  static Floats Keep(Lanes some, Floats a) {
    return _mm256_and_ps(_mm256_castsi256_ps(Mask(some)), a);
  }
  static Floats Choose(Lanes some, Floats a, Floats other) {
    return _mm256_blendv_ps(other, a, _mm256_castsi256_ps(Mask(some)));
  }

  static Doubles LowHalf(Floats a) {
    return _mm256_cvtps_pd(_mm256_castps256_ps128(a));
  }
  static Doubles HighHalf(Floats a) {
    return _mm256_cvtps_pd(_mm256_extractf128_ps(a, 1));
  }
  static double Sum(Doubles a) {
    double values[4];
    Store(values, a);
    return (values[0] + values[1]) + (values[2] + values[3]);
  }

  static Bytes SetBytes(uint8_t value) {
    return _mm256_set1_epi8(static_cast<char>(value));
  }
  static Bytes LoadBytes(const uint8_t* from) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  }
  static void StoreBytes(uint8_t* to, Bytes a) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), a);
  }
  static Bytes Xor(Bytes a, Bytes b) { return _mm256_xor_si256(a, b); }
  static Bytes Or(Bytes a, Bytes b) { return _mm256_or_si256(a, b); }
  // Repeats 16 bytes.
  static Bytes RepeatBytes(const uint8_t* from) {
    return _mm256_broadcastsi128_si256(
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
  }
  // Returns byte `index % 16` of `table` for each index; 0 from 128 on.
  static Bytes LookUp(Bytes table, Bytes indices) {
    return _mm256_shuffle_epi8(table, indices);
  }
  // Returns the upper four bits of each byte.
  static Bytes HighHalves(Bytes a) {
    return _mm256_and_si256(_mm256_srli_epi16(a, 4), SetBytes(0x0F));
  }
  // Returns a bit for each byte: one where those of `a` and `b` are equal.
  static uint32_t Equal(Bytes a, Bytes b) {
    return static_cast<uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(a, b)));
  }
  // Returns a bit for each byte: one where those of `a` and `b` have no bit in
  // common.
  static uint64_t WithoutCommonBits(Bytes a, Bytes b) {
    return Equal(_mm256_and_si256(a, b), SetBytes(0));
  }
  static int CountEqual(Bytes a, Bytes b) {
    return __builtin_popcount(Equal(a, b));
  }
  static Bytes Min(Bytes a, Bytes b) { return _mm256_min_epu8(a, b); }
  static Bytes Max(Bytes a, Bytes b) { return _mm256_max_epu8(a, b); }

  // Loads as many quantized values as there are lanes.
  static __m128i LoadCodes(const uint8_t* from) {
    return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from));
  }
  static __m128i LoadCodes(const uint8_t* from, Lanes some) {
    uint8_t codes[kLanes] = {};
    std::memcpy(codes, from, static_cast<size_t>(some));
    return LoadCodes(codes);
  }

  // Computes q - zero_point for quantized values q.
  template <bool kFlipSign>
  class Steps {
   public:
    explicit Steps(int32_t zero_point)
        : zero_point_(_mm256_set1_epi32(zero_point - (kFlipSign ? 128 : 0))) {}

    Floats operator()(__m128i codes) const {
      const __m256i wide =
          kFlipSign ? _mm256_cvtepi8_epi32(codes) : _mm256_cvtepu8_epi32(codes);
      return _mm256_cvtepi32_ps(_mm256_sub_epi32(wide, zero_point_));
    }

   private:
    __m256i zero_point_;
  };
};

}  // namespace

const PairKernels& Avx2PairKernels() {
  static constexpr PairKernels kKernels = SimdKernels<Avx2>::Table("avx2");
  return kKernels;
}

}  // namespace ns
