// Vectors of AVX512F, BW, DQ and VL, under the names that all kernels use;
// avx2.h has the same names for AVX2.
//
// Include it only in sources of an isa_library (tools/bazel/isa_library.bzl),
// which are compiled for these instructions. All that is here is local to the
// source that includes it.
#ifndef PASSES_KERNELS_SIMD_AVX512_H_
#define PASSES_KERNELS_SIMD_AVX512_H_

#include <immintrin.h>

#include <cstdint>

namespace ns::kernels {
namespace {

struct Avx512 {
  static constexpr int kBytes = 64;   // bytes of a vector
  static constexpr int kFloats = 16;  // floats, or integers of 32 bits
  static constexpr int kLanes = 4;    // a lane is 16 bytes
  static constexpr int kRegisters = 32;
  // Whether there is Dot, which avx512_vnni.h adds.
  static constexpr bool kHasDot = false;

  using Floats = __m512;
  using Ints = __m512i;  // integers of 8, 16 or 32 bits
  // A set of elements of 32 bits.
  using Mask = __mmask16;

  // The first `count` elements: all for a greater count, none for a negative
  // one.
  static Mask First(int64_t count) {
    return count >= kFloats ? 0xFFFF
           : count <= 0     ? 0
                            : static_cast<Mask>((1u << count) - 1);
  }

  static Ints Zero() { return _mm512_setzero_si512(); }
  static Floats SetFloats(float value) { return _mm512_set1_ps(value); }
  static Ints SetInts(int32_t value) { return _mm512_set1_epi32(value); }
  static Ints SetShorts(int32_t value) {
    return _mm512_set1_epi16(static_cast<int16_t>(value));
  }
  static Ints SetBytes(int32_t value) {
    return _mm512_set1_epi8(static_cast<char>(value));
  }
  // The 16 bytes at `from` in each lane.
  static Ints SetLanes(const uint8_t* from) {
    return _mm512_broadcast_i32x4(LoadLane(from));
  }

  // With a mask or a count, only those elements are loaded or stored. The
  // others are 0 in what a load returns, and their memory is neither read nor
  // written. A count may be any number, as for First. Only LoadAligned needs
  // aligned memory.
  static Floats Load(const float* from) { return _mm512_loadu_ps(from); }
  static Floats Load(const float* from, Mask mask) {
    return _mm512_maskz_loadu_ps(mask, from);
  }
  static Ints Load(const void* from) { return _mm512_loadu_si512(from); }
  static Ints Load(const int32_t* from, Mask mask) {
    return _mm512_maskz_loadu_epi32(mask, from);
  }
  static Ints LoadAligned(const void* from) { return _mm512_load_si512(from); }
  static Ints LoadBytes(const void* from, int64_t count) {
    return _mm512_maskz_loadu_epi8(FirstBytes(count), from);
  }
  static void Store(float* to, Floats a) { _mm512_storeu_ps(to, a); }
  static void Store(float* to, Mask mask, Floats a) {
    _mm512_mask_storeu_ps(to, mask, a);
  }
  static void Store(void* to, Ints a) { _mm512_storeu_si512(to, a); }
  static void Store(int32_t* to, Mask mask, Ints a) {
    _mm512_mask_storeu_epi32(to, mask, a);
  }
  static void StoreBytes(void* to, int64_t count, Ints a) {
    _mm512_mask_storeu_epi8(to, FirstBytes(count), a);
  }

  // LoadLanes loads lane i from from[i], and StoreLanes stores lane i to to[i].
  // With a count, only the first `count` bytes of each lane are loaded or
  // stored, and the others of a loaded lane are 0. This count must be 0 to 16.
  static Ints LoadLanes(const uint8_t* const (&from)[4]) {
    return OfLanes(LoadLane(from[0]), LoadLane(from[1]), LoadLane(from[2]),
                   LoadLane(from[3]));
  }
  static Ints LoadLanes(const uint8_t* const (&from)[4], int count) {
    const Mask some = First(count);
    return OfLanes(_mm_maskz_loadu_epi8(some, from[0]),
                   _mm_maskz_loadu_epi8(some, from[1]),
                   _mm_maskz_loadu_epi8(some, from[2]),
                   _mm_maskz_loadu_epi8(some, from[3]));
  }
  static void StoreLanes(uint8_t* const (&to)[4], Ints a) {
    StoreLane(to[0], _mm512_castsi512_si128(a));
    StoreLane(to[1], _mm512_extracti32x4_epi32(a, 1));
    StoreLane(to[2], _mm512_extracti32x4_epi32(a, 2));
    StoreLane(to[3], _mm512_extracti32x4_epi32(a, 3));
  }
  static void StoreLanes(uint8_t* const (&to)[4], int count, Ints a) {
    const Mask some = First(count);
    _mm_mask_storeu_epi8(to[0], some, _mm512_castsi512_si128(a));
    _mm_mask_storeu_epi8(to[1], some, _mm512_extracti32x4_epi32(a, 1));
    _mm_mask_storeu_epi8(to[2], some, _mm512_extracti32x4_epi32(a, 2));
    _mm_mask_storeu_epi8(to[3], some, _mm512_extracti32x4_epi32(a, 3));
  }

  // WidenBytes makes kFloats bytes integers of 32 bits. WidenToShorts makes
  // kBytes / 2 bytes integers of 16 bits.
  static Ints WidenBytes(const uint8_t* from) {
    return _mm512_cvtepu8_epi32(LoadLane(from));
  }
  static Ints WidenBytes(const int8_t* from) {
    return _mm512_cvtepi8_epi32(LoadLane(from));
  }
  static Ints WidenBytes(const uint8_t* from, int64_t count) {
    return _mm512_cvtepu8_epi32(_mm_maskz_loadu_epi8(First(count), from));
  }
  static Ints WidenBytes(const int8_t* from, int64_t count) {
    return _mm512_cvtepi8_epi32(_mm_maskz_loadu_epi8(First(count), from));
  }
  static Ints WidenToShorts(const uint8_t* from) {
    return _mm512_cvtepu8_epi16(
        _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
  }

  // "Steps" are quantized values minus their zero point, as floats, exactly.
  // The argument `zero_point` is what ZeroPoint returns for the type of the
  // quantized values.
  //
  // An unsigned value is put into the lowest bits of the float 2^23: that takes
  // a shuffle and a subtraction, where a conversion takes three instructions.
  static Floats ZeroPoint(int32_t zero_point, uint8_t /*tag*/) {
    return SetFloats(static_cast<float>(0x800000 + zero_point));
  }
  static Floats ZeroPoint(int32_t zero_point, int8_t /*tag*/) {
    return SetFloats(static_cast<float>(zero_point));
  }
  static Floats LoadSteps(const uint8_t* from, Floats zero_point) {
    return StepsOfLane(LoadLane(from), zero_point);
  }
  static Floats LoadSteps(const uint8_t* from, int64_t count,
                          Floats zero_point) {
    return StepsOfLane(_mm_maskz_loadu_epi8(First(count), from), zero_point);
  }
  static Floats LoadSteps(const int8_t* from, Floats zero_point) {
    return Subtract(ToFloats(WidenBytes(from)), zero_point);
  }
  static Floats LoadSteps(const int8_t* from, int64_t count,
                          Floats zero_point) {
    return Subtract(ToFloats(WidenBytes(from, count)), zero_point);
  }
  // The steps of unsigned values: of the bytes 4 * quarter to 4 * quarter + 3
  // of each lane. In this order, PackInts and PackShorts make bytes of the
  // vectors of the quarters 0 to 3.
  static Floats Steps(Ints bytes, int quarter, Floats zero_point) {
    const Ints indices = _mm512_broadcast_i32x4(
        _mm_add_epi32(_mm_setr_epi32(0, 1, 2, 3), _mm_set1_epi32(4 * quarter)));
    return ShuffledSteps(bytes, indices, zero_point);
  }

  static Floats ToFloats(Ints a) { return _mm512_cvtepi32_ps(a); }
  // Rounds to nearest, ties to even; INT_MIN for nan and what does not fit.
  static Ints Round(Floats a) { return _mm512_cvtps_epi32(a); }
  static Ints Bits(Floats a) { return _mm512_castps_si512(a); }
  static Floats Add(Floats a, Floats b) { return _mm512_add_ps(a, b); }
  static Floats Subtract(Floats a, Floats b) { return _mm512_sub_ps(a, b); }
  static Floats Multiply(Floats a, Floats b) { return _mm512_mul_ps(a, b); }
  // a * b + c, rounded once.
  static Floats MultiplyAdd(Floats a, Floats b, Floats c) {
    return _mm512_fmadd_ps(a, b, c);
  }
  // Both give the second operand where one is a nan.
  static Floats Min(Floats a, Floats b) { return _mm512_min_ps(a, b); }
  static Floats Max(Floats a, Floats b) { return _mm512_max_ps(a, b); }

  // Zero but for the elements of the mask.
  static Floats Keep(Mask mask, Floats a) {
    return _mm512_maskz_mov_ps(mask, a);
  }

  // A table of 16 floats. LookUp takes the numbers of its elements from the
  // lowest four bits of integers of 32 bits.
  using FloatTable = __m512;
  static FloatTable LoadTable(const float* from) { return Load(from); }
  static Floats LookUp(FloatTable table, Ints indices) {
    return _mm512_permutexvar_ps(indices, table);
  }

  // Integers of 32 bits wrap around.
  static Ints Add(Ints a, Ints b) { return _mm512_add_epi32(a, b); }
  static Ints Subtract(Ints a, Ints b) { return _mm512_sub_epi32(a, b); }
  static Ints Multiply(Ints a, Ints b) { return _mm512_mullo_epi32(a, b); }
  // The sum of all integers of 32 bits, taken as unsigned.
  static uint64_t SumUnsigned(Ints a) {
    return static_cast<uint64_t>(_mm512_reduce_add_epi64(
        _mm512_add_epi64(_mm512_and_si512(a, _mm512_set1_epi64(0xffffffff)),
                         _mm512_srli_epi64(a, 32))));
  }

  static Ints AddShorts(Ints a, Ints b) { return _mm512_add_epi16(a, b); }
  static Ints AddSaturatedShorts(Ints a, Ints b) {
    return _mm512_adds_epi16(a, b);
  }
  static Ints AddSaturatedBytes(Ints a, Ints b) {
    return _mm512_adds_epi8(a, b);
  }
  // Products of elements of `a` and `b`, those of two neighbours added up.
  // SumPairProducts takes s16 and returns s32. SumSaturatedPairProducts takes
  // u8 in `a` and s8 in `b` and returns s16, which saturate.
  static Ints SumPairProducts(Ints a, Ints b) {
    return _mm512_madd_epi16(a, b);
  }
  static Ints SumSaturatedPairProducts(Ints a, Ints b) {
    return _mm512_maddubs_epi16(a, b);
  }
  // The sums of eight neighbouring bytes each, unsigned, in 64 bits.
  static Ints SumEightBytes(Ints a) { return _mm512_sad_epu8(a, Zero()); }

  static Ints And(Ints a, Ints b) { return _mm512_and_si512(a, b); }
  static Ints Xor(Ints a, Ints b) { return _mm512_xor_si512(a, b); }
  static Ints ShiftRightShorts(Ints a, int bits) {
    return _mm512_srli_epi16(a, bits);
  }
  static Ints ShiftRightSignedShorts(Ints a, int bits) {
    return _mm512_srai_epi16(a, bits);
  }
  static Ints ShiftLeftShorts(Ints a, int bits) {
    return _mm512_slli_epi16(a, bits);
  }
  static Ints ShiftRightInts(Ints a, int bits) {
    return _mm512_srli_epi32(a, bits);
  }

  // Where both u8 and s8 make sense, the type of the last argument says which;
  // without it, u8.
  static Ints MinBytes(Ints a, Ints b, uint8_t /*tag*/ = 0) {
    return _mm512_min_epu8(a, b);
  }
  static Ints MaxBytes(Ints a, Ints b, uint8_t /*tag*/ = 0) {
    return _mm512_max_epu8(a, b);
  }
  static Ints MinBytes(Ints a, Ints b, int8_t /*tag*/) {
    return _mm512_min_epi8(a, b);
  }
  static Ints MaxBytes(Ints a, Ints b, int8_t /*tag*/) {
    return _mm512_max_epi8(a, b);
  }
  // Whether some u8 of `a` is larger than the one in its place in `b`.
  static bool AnyByteAbove(Ints a, Ints b) {
    return _mm512_cmpgt_epu8_mask(a, b) != 0;
  }

  // PackInts saturates s32 to s16, and PackShorts s16 to bytes. After
  // PackShorts(PackInts(a, b), PackInts(c, d)), each lane has four bytes of
  // each vector. SortPacked then puts all bytes of `a` first, then those of
  // `b`, and so on.
  static Ints PackInts(Ints a, Ints b) { return _mm512_packs_epi32(a, b); }
  static Ints PackShorts(Ints a, Ints b, uint8_t /*tag*/ = 0) {
    return _mm512_packus_epi16(a, b);
  }
  static Ints PackShorts(Ints a, Ints b, int8_t /*tag*/) {
    return _mm512_packs_epi16(a, b);
  }
  static Ints SortPacked(Ints a) {
    return _mm512_permutexvar_epi32(
        _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15),
        a);
  }

  // Elements of `a` and `b` in turns: "low" takes those in the lower half of
  // each lane, "high" those in the higher half.
  static Ints UnpackLowBytes(Ints a, Ints b) {
    return _mm512_unpacklo_epi8(a, b);
  }
  static Ints UnpackHighBytes(Ints a, Ints b) {
    return _mm512_unpackhi_epi8(a, b);
  }
  static Ints UnpackLowShorts(Ints a, Ints b) {
    return _mm512_unpacklo_epi16(a, b);
  }
  static Ints UnpackHighShorts(Ints a, Ints b) {
    return _mm512_unpackhi_epi16(a, b);
  }
  // Within each lane: integer i of the result is the one whose number is in the
  // bits 2 i and 2 i + 1 of kOrder.
  template <int kOrder>
  static Ints ShuffleInts(Ints a) {
    return _mm512_shuffle_epi32(a, static_cast<_MM_PERM_ENUM>(kOrder));
  }
  // Within each lane: each byte of the result is the byte of `table` whose
  // number is the index modulo 16; 0 where the index, of s8, is negative.
  static Ints ShuffleBytes(Ints table, Ints indices) {
    return _mm512_shuffle_epi8(table, indices);
  }

  // The mask of the first `count` bytes; any count, as for First.
  static __mmask64 FirstBytes(int64_t count) {
    return count >= kBytes ? ~__mmask64{0}
                           : (__mmask64{1} << (count < 0 ? 0 : count)) - 1;
  }

 private:
  static Ints OfLanes(__m128i a, __m128i b, __m128i c, __m128i d) {
    return _mm512_inserti64x4(
        _mm512_castsi256_si512(
            _mm256_inserti128_si256(_mm256_castsi128_si256(a), b, 1)),
        _mm256_inserti128_si256(_mm256_castsi128_si256(c), d, 1), 1);
  }
  static __m128i LoadLane(const void* from) {
    return _mm_loadu_si128(static_cast<const __m128i*>(from));
  }
  static void StoreLane(uint8_t* to, __m128i a) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), a);
  }
  static Floats ShuffledSteps(Ints bytes, Ints indices, Floats zero_point) {
    Ints sum = _mm512_set1_epi32(0x4B000000);
    const __mmask64 last_bytes = 0x1111111111111111;
    // Clang 14 makes two shuffles of half the width of the intrinsic.
    asm("vpshufb %[indices], %[bytes], %[sum] %{%[mask]%}"
        : [sum] "+v"(sum)
        : [bytes] "v"(bytes), [indices] "v"(indices), [mask] "Yk"(last_bytes));
    return Subtract(_mm512_castsi512_ps(sum), zero_point);
  }
  static Floats StepsOfLane(__m128i bytes, Floats zero_point) {
    return ShuffledSteps(
        _mm512_broadcast_i32x4(bytes),
        _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0),
        zero_point);
  }
};

}  // namespace
}  // namespace ns::kernels

#endif  // PASSES_KERNELS_SIMD_AVX512_H_
