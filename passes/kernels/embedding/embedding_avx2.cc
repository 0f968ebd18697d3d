#include "passes/kernels/embedding/bag_loop.h"
#include "passes/kernels/embedding/half.h"

namespace ns::kernels {
namespace {

constexpr int64_t kWidth = 8;  // floats of a vector

__m256 AddCodes(__m256 sum, __m256i codes, __m256 scale, __m256 bias) {
  return _mm256_fmadd_ps(scale, _mm256_cvtepi32_ps(codes),
                         _mm256_add_ps(sum, bias));
}

// Stores the first `count` of `value`, all if there are more.
void StoreSome(float* at, int64_t count, __m256 value) {
  if (count >= kWidth) {
    _mm256_storeu_ps(at, value);
  } else if (count > 0) {
    const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const __m256i some =
        _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(count)), lanes);
    _mm256_maskstore_ps(at, some, value);
  }
}

__m128i LoadEight(const uint8_t* at) {
  return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(at));
}

// The sums of the `columns` columns from `column`, at most kColumns.
template <int kVectors>
class ByteBlock {
 public:
  static constexpr int64_t kColumns = kVectors * kWidth;
  using Row = ByteRow;

  ByteBlock(int64_t column, int64_t columns)
      : column_(column), last_(columns - (kVectors - 1) * kWidth) {
#pragma clang loop unroll(full)
    for (int v = 0; v < kVectors; ++v) {
      sums_[v] = _mm256_setzero_ps();
    }
  }

  // The last load may reach into scale and bias: these are eight bytes.
  void Add(const uint8_t* row, const ScaleBias& read) {
    const __m256 scale = _mm256_set1_ps(read.scale);
    const __m256 bias = _mm256_set1_ps(read.bias);
#pragma clang loop unroll(full)
    for (int v = 0; v < kVectors; ++v) {
      const __m256i codes =
          _mm256_cvtepu8_epi32(LoadEight(row + column_ + v * kWidth));
      sums_[v] = AddCodes(sums_[v], codes, scale, bias);
    }
  }

  void Store(float* out) const {
#pragma clang loop unroll(full)
    for (int v = 0; v < kVectors; ++v) {
      StoreSome(out + column_ + v * kWidth, v < kVectors - 1 ? kWidth : last_,
                sums_[v]);
    }
  }

 private:
  __m256 sums_[kVectors];
  int64_t column_;
  int64_t last_;
};

struct NibbleRow {
  static ScaleBias Read(const uint8_t* end) {
    return {HalfToFloat(end - 4), HalfToFloat(end - 2)};
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
      : column_(column), last_(columns - (kPairs - 1) * 2 * kWidth) {
#pragma clang loop unroll(full)
    for (int p = 0; p < kPairs; ++p) {
      even_[p] = odd_[p] = _mm256_setzero_ps();
    }
  }

  void Add(const uint8_t* row, const ScaleBias& read) {
    const __m256i low = _mm256_set1_epi32(15);
    const __m256 scale = _mm256_set1_ps(read.scale);
    const __m256 bias = _mm256_set1_ps(read.bias);
#pragma clang loop unroll(full)
    for (int p = 0; p < kPairs; ++p) {
      const uint8_t* at = row + column_ / 2 + p * kWidth;
      // Loads may reach into the four bytes of scale and bias, not beyond.
      const bool few = p == kPairs - 1 && last_ <= kWidth;
      const __m256i bytes =
          _mm256_cvtepu8_epi32(few ? LoadFour(at) : LoadEight(at));
      even_[p] = AddCodes(even_[p], _mm256_and_si256(bytes, low), scale, bias);
      odd_[p] = AddCodes(odd_[p], _mm256_srli_epi32(bytes, 4), scale, bias);
    }
  }

  void Store(float* out) const {
#pragma clang loop unroll(full)
    for (int p = 0; p < kPairs; ++p) {
      float* at = out + column_ + p * 2 * kWidth;
      const int64_t columns = p < kPairs - 1 ? 2 * kWidth : last_;
      const __m256 low = _mm256_unpacklo_ps(even_[p], odd_[p]);
      const __m256 high = _mm256_unpackhi_ps(even_[p], odd_[p]);
      StoreSome(at, columns, _mm256_permute2f128_ps(low, high, 0x20));
      StoreSome(at + kWidth, columns - kWidth,
                _mm256_permute2f128_ps(low, high, 0x31));
    }
  }

 private:
  static __m128i LoadFour(const uint8_t* at) {
    int32_t four = 0;
    memcpy(&four, at, sizeof(four));
    return _mm_cvtsi32_si128(four);
  }

  __m256 even_[kPairs];
  __m256 odd_[kPairs];
  int64_t column_;
  int64_t last_;
};

}  // namespace

const EmbeddingKernels<int32_t> kAvx2Embedding32 = {SumBags<ByteBlock, 8>,
                                                    SumBags<NibbleBlock, 4>};
const EmbeddingKernels<int64_t> kAvx2Embedding64 = {SumBags<ByteBlock, 8>,
                                                    SumBags<NibbleBlock, 4>};

}  // namespace ns::kernels
