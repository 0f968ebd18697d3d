#include "passes/kernels/embedding/bag_loop.h"
#include "passes/kernels/simd/avx512.h"
#include "passes/kernels/unroll.h"

namespace ns::kernels {
namespace {

constexpr int64_t kWidth = Avx512::kFloats;

// The bytes of `mask`. A load that is masked costs more.
__m128i LoadBytes(const uint8_t* at, __mmask16 mask) {
  return mask == 0xffff ? _mm_loadu_si128(reinterpret_cast<const __m128i*>(at))
                        : _mm_maskz_loadu_epi8(mask, at);
}

// The sums of the `columns` columns from `column`, at most kColumns.
template <int kVectors>
class ByteBlock {
 public:
  static constexpr int64_t kColumns = kVectors * kWidth;
  using Row = ByteRow;

  ByteBlock(int64_t column, int64_t columns)
      : column_(column),
        last_(Avx512::First(columns - (kVectors - 1) * kWidth)) {
    NS_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      sums_[v] = Avx512::SetFloats(0);
    }
  }

  void Add(const uint8_t* row, const ScaleBias& read) {
    const __m512 scale = Avx512::SetFloats(read.scale);
    const __m512 bias = Avx512::SetFloats(read.bias);
    NS_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      const __m128i bytes = LoadBytes(row + column_ + v * kWidth,
                                      v < kVectors - 1 ? 0xffff : last_);
      sums_[v] =
          AddBytes<Avx512>(sums_[v], _mm512_cvtepu8_epi32(bytes), scale, bias);
    }
  }

  void Store(float* out) const {
    NS_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      Avx512::Store(out + column_ + v * kWidth,
                    v < kVectors - 1 ? 0xffff : last_, sums_[v]);
    }
  }

 private:
  __m512 sums_[kVectors];
  int64_t column_;
  __mmask16 last_;
};

struct NibbleRow {
  static ScaleBias Read(const uint8_t* end) {
    int32_t halves = 0;
    memcpy(&halves, end - sizeof(halves), sizeof(halves));
    const __m128 floats = _mm_maskz_cvtph_ps(3, _mm_cvtsi32_si128(halves));
    return {_mm_cvtss_f32(floats), _mm_cvtss_f32(_mm_movehdup_ps(floats))};
  }
};

// The same. Columns with even and with odd numbers are apart until they are
// stored; `column` is even.
template <int kPairs>
class NibbleBlock {
 public:
  static constexpr int64_t kColumns = kPairs * 2 * kWidth;
  using Row = NibbleRow;

  NibbleBlock(int64_t column, int64_t columns)
      : column_(column),
        last_((columns - (kPairs - 1) * 2 * kWidth)),
        last_bytes_(Avx512::First((last_ + 1) / 2)) {
    NS_UNROLL
    for (int p = 0; p < kPairs; ++p) {
      even_[p] = odd_[p] = Avx512::SetFloats(0);
    }
  }

  void Add(const uint8_t* row, const ScaleBias& read) {
    // The permutation looks at four bits of its index: it converts.
    const __m512 floats =
        _mm512_setr_ps(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m512 scale = Avx512::SetFloats(read.scale);
    const __m512 bias = Avx512::SetFloats(read.bias);
    NS_UNROLL
    for (int p = 0; p < kPairs; ++p) {
      const __m512i bytes = _mm512_cvtepu8_epi32(
          LoadBytes(row + column_ / 2 + p * kWidth,
                    p < kPairs - 1 ? 0xffff : last_bytes_));
      const __m512 low = _mm512_permutexvar_ps(bytes, floats);
      const __m512 high =
          _mm512_permutexvar_ps(_mm512_srli_epi32(bytes, 4), floats);
      even_[p] = AddValues<Avx512>(even_[p], low, scale, bias);
      odd_[p] = AddValues<Avx512>(odd_[p], high, scale, bias);
    }
  }

  void Store(float* out) const {
    const __m512i first = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20,
                                            5, 21, 6, 22, 7, 23);
    const __m512i second = _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12,
                                             28, 13, 29, 14, 30, 15, 31);
    NS_UNROLL
    for (int p = 0; p < kPairs; ++p) {
      float* at = out + column_ + p * 2 * kWidth;
      const int64_t columns = p < kPairs - 1 ? 2 * kWidth : last_;
      Avx512::Store(at, Avx512::First(columns),
                    _mm512_permutex2var_ps(even_[p], first, odd_[p]));
      Avx512::Store(at + kWidth, Avx512::First(columns - kWidth),
                    _mm512_permutex2var_ps(even_[p], second, odd_[p]));
    }
  }

 private:
  __m512 even_[kPairs];
  __m512 odd_[kPairs];
  int64_t column_;
  int64_t last_;
  __mmask16 last_bytes_;
};

}  // namespace

const EmbeddingKernels<int32_t> kAvx512Embedding32 = {SumBags<ByteBlock, 16>,
                                                      SumBags<NibbleBlock, 8>};
const EmbeddingKernels<int64_t> kAvx512Embedding64 = {SumBags<ByteBlock, 16>,
                                                      SumBags<NibbleBlock, 8>};

}  // namespace ns::kernels
