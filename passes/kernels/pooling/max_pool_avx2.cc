#include <immintrin.h>

#include "passes/kernels/pooling/max_pool_kernels.h"
#include "passes/kernels/simd/avx2.h"
#include "passes/kernels/unroll.h"

namespace ns::kernels {
namespace {

// Vectors of bytes of some widths. Channels that do not fill the widest that
// fits are done by one more vector that overlaps the one before.
struct Bytes32 {
  static constexpr int64_t kWidth = 32;
  using Vector = __m256i;
  static Vector Zero() { return Avx2::Zero(); }
  static Vector Max(Vector a, const uint8_t* at) {
    return Avx2::MaxBytes(a, Avx2::Load(at));
  }
  static void Store(uint8_t* at, Vector a) { Avx2::Store(at, a); }
};

struct Bytes16 {
  static constexpr int64_t kWidth = 16;
  using Vector = __m128i;
  static Vector Zero() { return _mm_setzero_si128(); }
  static Vector Max(Vector a, const uint8_t* at) {
    return _mm_max_epu8(a,
                        _mm_loadu_si128(reinterpret_cast<const __m128i*>(at)));
  }
  static void Store(uint8_t* at, Vector a) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(at), a);
  }
};

struct Bytes8 {
  static constexpr int64_t kWidth = 8;
  using Vector = __m128i;
  static Vector Zero() { return _mm_setzero_si128(); }
  static Vector Max(Vector a, const uint8_t* at) {
    return _mm_max_epu8(a,
                        _mm_loadl_epi64(reinterpret_cast<const __m128i*>(at)));
  }
  static void Store(uint8_t* at, Vector a) {
    _mm_storel_epi64(reinterpret_cast<__m128i*>(at), a);
  }
};

struct Byte {
  static constexpr int64_t kWidth = 1;
  using Vector = uint8_t;
  static Vector Zero() { return 0; }
  static Vector Max(Vector a, const uint8_t* at) { return a > *at ? a : *at; }
  static void Store(uint8_t* at, Vector a) { *at = a; }
};

template <typename Bytes, int kVectors>
void MaxBlock(const PoolRow<uint8_t>& row, int64_t i, int64_t channel,
              uint8_t* out) {
  typename Bytes::Vector greatest[kVectors];
  NS_UNROLL
  for (int v = 0; v < kVectors; ++v) {
    greatest[v] = Bytes::Zero();
  }
  ForEachPixel(row, i, channel, [&](const uint8_t* pixel) {
    NS_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      greatest[v] = Bytes::Max(greatest[v], pixel + v * Bytes::kWidth);
    }
  });
  NS_UNROLL
  for (int v = 0; v < kVectors; ++v) {
    Bytes::Store(out + channel + v * Bytes::kWidth, greatest[v]);
  }
}

// Pools all outputs: blocks of kVectors vectors, then of one.
template <typename Bytes, int kVectors>
void MaxRow(const PoolRow<uint8_t>& row, uint8_t* out) {
  constexpr int64_t kWidth = Bytes::kWidth;
  for (int64_t i = 0; i < row.outputs; ++i, out += row.channels) {
    int64_t channel = 0;
    for (; channel + kVectors * kWidth <= row.channels;
         channel += kVectors * kWidth) {
      MaxBlock<Bytes, kVectors>(row, i, channel, out);
    }
    for (; channel + kWidth <= row.channels; channel += kWidth) {
      MaxBlock<Bytes, 1>(row, i, channel, out);
    }
    if (channel < row.channels) {
      MaxBlock<Bytes, 1>(row, i, row.channels - kWidth, out);
    }
  }
}

void MaxPoolRow(const PoolRow<uint8_t>& row, uint8_t* out) {
  if (row.channels >= Bytes32::kWidth) {
    MaxRow<Bytes32, 4>(row, out);
  } else if (row.channels >= Bytes16::kWidth) {
    MaxRow<Bytes16, 1>(row, out);
  } else if (row.channels >= Bytes8::kWidth) {
    MaxRow<Bytes8, 1>(row, out);
  } else {
    MaxRow<Byte, 1>(row, out);
  }
}

void MaxOfRows(const uint8_t* const* rows, int64_t count, int64_t bytes,
               uint8_t* out) {
  // One output whose pixels are one to a row, and bytes its channels.
  const PoolSpan first = {0, 1};
  MaxPoolRow({rows, count, &first, 1, 0, bytes}, out);
}

}  // namespace

const MaxPoolKernels kAvx2MaxPool = {MaxPoolRow, MaxOfRows};

}  // namespace ns::kernels
