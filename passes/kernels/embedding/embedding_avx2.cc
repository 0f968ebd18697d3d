#include "passes/kernels/embedding/bag_loop.h"
#include "passes/kernels/embedding/half.h"
#include "passes/kernels/simd/avx2.h"
#include "passes/kernels/unroll.h"

namespace ns::kernels {
namespace {

constexpr int64_t kWidth = Avx2::kFloats;

// Stores the first `count` of `value`, all if there are more: stores with a
// mask take some processors much longer.
void StoreSome(float* at, int64_t count, __m256 value) {
  if (count >= kWidth) {
    Avx2::Store(at, value);
  } else if (count > 0) {
    Avx2::Store(at, Avx2::First(count), value);
  }
}

// The sums of the `columns` columns from `column`, at most kColumns.
template <int kVectors>
class ByteBlock {
 public:
  static constexpr int64_t kColumns = kVectors * kWidth;
  using Row = ByteRow;

  ByteBlock(int64_t column, int64_t columns)
      : column_(column), last_(columns - (kVectors - 1) * kWidth) {
    NS_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      sums_[v] = Avx2::SetFloats(0);
    }
  }

  // The last load may reach into scale and bias: these are eight bytes.
  void Add(const uint8_t* row, const ScaleBias& read) {
    const __m256 scale = Avx2::SetFloats(read.scale);
    const __m256 bias = Avx2::SetFloats(read.bias);
    NS_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      sums_[v] = AddBytes<Avx2>(
          sums_[v], Avx2::WidenBytes(row + column_ + v * kWidth), scale, bias);
    }
  }

  void Store(float* out) const {
    NS_UNROLL
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
    NS_UNROLL
    for (int p = 0; p < kPairs; ++p) {
      even_[p] = odd_[p] = Avx2::SetFloats(0);
    }
  }

  void Add(const uint8_t* row, const ScaleBias& read) {
    const __m256i low = Avx2::SetInts(15);
    const __m256 scale = Avx2::SetFloats(read.scale);
    const __m256 bias = Avx2::SetFloats(read.bias);
    NS_UNROLL
    for (int p = 0; p < kPairs; ++p) {
      const uint8_t* at = row + column_ / 2 + p * kWidth;
      // Loads may reach into the four bytes of scale and bias, not beyond.
      const bool few = p == kPairs - 1 && last_ <= kWidth;
      const __m256i bytes = few ? WidenFour(at) : Avx2::WidenBytes(at);
      even_[p] = AddBytes<Avx2>(even_[p], Avx2::And(bytes, low), scale, bias);
      odd_[p] =
          AddBytes<Avx2>(odd_[p], _mm256_srli_epi32(bytes, 4), scale, bias);
    }
  }

  void Store(float* out) const {
    NS_UNROLL
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
  static __m256i WidenFour(const uint8_t* at) {
    int32_t four = 0;
    memcpy(&four, at, sizeof(four));
    return _mm256_cvtepu8_epi32(_mm_cvtsi32_si128(four));
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
