#include <immintrin.h>

#include "passes/runtime/statistics/pair_kernels.h"
#include "passes/runtime/statistics/pair_kernels_simd.h"
#include "passes/runtime/statistics/pair_simd_values.h"

namespace ns {
namespace {

struct Avx512 {
  static constexpr int kLanes = 16;
  // The sums of each kind: all registers are in use then.
  static constexpr int kSums = kUnroll;

  using Floats = __m512;
  using Doubles = __m512d;
  using Bytes = __m512i;
  using Lanes = __mmask16;

  static Lanes FirstLanes(int64_t left) {
    return left >= kLanes ? 0xFFFF : static_cast<Lanes>((1U << left) - 1);
  }

  static void Prefetch(const void* at) { _mm_prefetch(at, _MM_HINT_T0); }
  static Floats Set(float value) { return _mm512_set1_ps(value); }
  static Floats Load(const float* from) { return _mm512_loadu_ps(from); }
  static Floats Load(const float* from, Lanes some) {
    return _mm512_maskz_loadu_ps(some, from);
  }
  static Doubles Load(const double* from) { return _mm512_loadu_pd(from); }
  static void Store(float* to, Floats a) { _mm512_storeu_ps(to, a); }
  static void Store(float* to, Lanes some, Floats a) {
    _mm512_mask_storeu_ps(to, some, a);
  }
  static void Store(double* to, Doubles a) { _mm512_storeu_pd(to, a); }

  static Floats Add(Floats a, Floats b) { return _mm512_add_ps(a, b); }
  static Doubles Add(Doubles a, Doubles b) { return _mm512_add_pd(a, b); }
  static Floats Subtract(Floats a, Floats b) { return _mm512_sub_ps(a, b); }
  static Doubles Subtract(Doubles a, Doubles b) { return _mm512_sub_pd(a, b); }
  static Floats Multiply(Floats a, Floats b) { return _mm512_mul_ps(a, b); }
  static Floats MultiplyAdd(Floats a, Floats b, Floats c) {
    return _mm512_fmadd_ps(a, b, c);
  }
  static Doubles MultiplyAdd(Doubles a, Doubles b, Doubles c) {
    return _mm512_fmadd_pd(a, b, c);
  }
  static Floats Min(Floats a, Floats b) { return _mm512_min_ps(a, b); }
  static Floats Max(Floats a, Floats b) { return _mm512_max_ps(a, b); }
  static Floats LargerMagnitude(Floats a, Floats b) {
    constexpr int kLargerAbsolute = 0xB;
    return _mm512_range_ps(a, b, kLargerAbsolute);
  }
  static Floats Or(Floats a, Floats b) { return _mm512_or_ps(a, b); }
  // Whether each sum of squares is safe: it consists of zeros only (`bits` are
  // the bits of all terms), or it is in the range where squares outside of
  // float's range do not matter.
  static bool AreSafe(Floats sums, Floats bits) {
    const __m512i magnitude = _mm512_set1_epi32(0x7FFFFFFF);
    const Lanes in_range = _mm512_mask_cmp_ps_mask(
        _mm512_cmp_ps_mask(sums, Set(kTinySum), _CMP_GT_OQ), sums,
        Set(kHugeSum), _CMP_LT_OQ);
    const Lanes zero =
        _mm512_testn_epi32_mask(_mm512_castps_si512(bits), magnitude);
    return static_cast<Lanes>(in_range | zero) == 0xFFFF;
  }
  static Floats Keep(Lanes some, Floats a) {
    return _mm512_maskz_mov_ps(some, a);
  }
  static Floats Choose(Lanes some, Floats a, Floats other) {
    return _mm512_mask_mov_ps(other, some, a);
  }

  static Doubles LowHalf(Floats a) {
    return _mm512_cvtps_pd(_mm512_castps512_ps256(a));
  }
  static Doubles HighHalf(Floats a) {
    return _mm512_cvtps_pd(_mm512_extractf32x8_ps(a, 1));
  }
  static double Sum(Doubles a) { return _mm512_reduce_add_pd(a); }

  static Bytes SetBytes(uint8_t value) {
    return _mm512_set1_epi8(static_cast<char>(value));
  }
  static Bytes LoadBytes(const uint8_t* from) {
    return _mm512_loadu_si512(from);
  }
  static void StoreBytes(uint8_t* to, Bytes a) { _mm512_storeu_si512(to, a); }
  static Bytes Xor(Bytes a, Bytes b) { return _mm512_xor_si512(a, b); }
  static Bytes Or(Bytes a, Bytes b) { return _mm512_or_si512(a, b); }
  // Repeats 16 bytes.
  static Bytes RepeatBytes(const uint8_t* from) {
    return _mm512_broadcast_i32x4(LoadCodes(from));
  }
  // Returns byte `index % 16` of `table` for each index; 0 from 128 on.
  static Bytes LookUp(Bytes table, Bytes indices) {
    return _mm512_shuffle_epi8(table, indices);
  }
  // Returns the upper four bits of each byte.
  static Bytes HighHalves(Bytes a) {
    return _mm512_and_si512(_mm512_srli_epi16(a, 4), SetBytes(0x0F));
  }
  // Returns a bit for each byte: one where those of `a` and `b` have no bit in
  // common.
  static uint64_t WithoutCommonBits(Bytes a, Bytes b) {
    return _mm512_testn_epi8_mask(a, b);
  }
  static int CountEqual(Bytes a, Bytes b) {
    return __builtin_popcountll(_mm512_cmpeq_epi8_mask(a, b));
  }
  static Bytes Min(Bytes a, Bytes b) { return _mm512_min_epu8(a, b); }
  static Bytes Max(Bytes a, Bytes b) { return _mm512_max_epu8(a, b); }

  // Loads as many quantized values as there are lanes.
  static __m128i LoadCodes(const uint8_t* from) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  }
  static __m128i LoadCodes(const uint8_t* from, Lanes some) {
    return _mm_maskz_loadu_epi8(some, from);
  }

  // Computes q - zero_point for quantized values q.
  template <bool kFlipSign>
  class Steps {
   public:
    explicit Steps(int32_t zero_point)
        : offset_(Set(static_cast<float>(kMagic + zero_point))),
          magic_(_mm512_castps_si512(Set(kMagic))),
          lowest_byte_(_mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5,
                                        4, 3, 2, 1, 0)) {
      // Hides the constant from clang 14, which would make five instructions of
      // one shuffle.
      asm("" : "+v"(lowest_byte_));
    }

    Floats operator()(__m128i codes) const {
      __m512i repeated = _mm512_broadcast_i32x4(codes);
      if (kFlipSign) {
        repeated = Xor(repeated, SetBytes(0x80));
      }
      const __m512i placed = _mm512_mask_shuffle_epi8(
          magic_, 0x1111111111111111, repeated, lowest_byte_);
      return Subtract(_mm512_castsi512_ps(placed), offset_);
    }

   private:
    // The float 2^23 + n has n in its lowest bits. So a quantized value becomes
    // a float by being put there, and 2^23 and the zero point are subtracted
    // together: all of it is exact.
    static constexpr int kMagic = 1 << 23;

    Floats offset_;
    __m512i magic_;
    __m512i lowest_byte_;
  };
};

}  // namespace

const PairKernels& Avx512PairKernels() {
  static constexpr PairKernels kKernels = SimdKernels<Avx512>::Table("avx512");
  return kKernels;
}

}  // namespace ns
