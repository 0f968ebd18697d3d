#include <immintrin.h>

#include "passes/kernels/pooling/max_pool_kernels.h"
#include "passes/kernels/simd/avx512.h"
#include "passes/kernels/unroll.h"

namespace ns::kernels {
namespace {

constexpr int64_t kWidth = 64;  // channels of a vector
constexpr int64_t kMostVectors = 4;

// kVectors vectors of channels; the last has those of `mask`, without kMasked
// all. (Masked loads of bytes cost more.)
template <int kVectors, bool kMasked>
void MaxBlock(const PoolRow<uint8_t>& row, int64_t i, int64_t channel,
              __mmask64 mask, uint8_t* out) {
  __m512i greatest[kVectors];
  NS_UNROLL
  for (int v = 0; v < kVectors; ++v) {
    greatest[v] = Avx512::Zero();
  }
  ForEachPixel(row, i, channel, [&](const uint8_t* pixel) {
    NS_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      const uint8_t* at = pixel + v * kWidth;
      const __m512i quantized = kMasked && v == kVectors - 1
                                    ? _mm512_maskz_loadu_epi8(mask, at)
                                    : Avx512::Load(at);
      greatest[v] = Avx512::MaxBytes(greatest[v], quantized);
    }
  });
  NS_UNROLL
  for (int v = 0; v < kVectors; ++v) {
    uint8_t* at = out + channel + v * kWidth;
    if (kMasked && v == kVectors - 1) {
      _mm512_mask_storeu_epi8(at, mask, greatest[v]);
    } else {
      Avx512::Store(at, greatest[v]);
    }
  }
}

// Pools all outputs: blocks of the most vectors while there are more channels,
// then one of kVectors.
template <int kVectors, bool kMasked>
void MaxRow(const PoolRow<uint8_t>& row, uint8_t* out) {
  const __mmask64 mask = Avx512::FirstBytes(row.channels % kWidth);
  for (int64_t i = 0; i < row.outputs; ++i, out += row.channels) {
    int64_t channel = 0;
    for (; row.channels - channel > kVectors * kWidth;
         channel += kMostVectors * kWidth) {
      MaxBlock<kMostVectors, false>(row, i, channel, 0, out);
    }
    MaxBlock<kVectors, kMasked>(row, i, channel, mask, out);
  }
}

template <int kVectors>
void MaxRowOf(const PoolRow<uint8_t>& row, uint8_t* out) {
  if (row.channels % kWidth == 0) {
    MaxRow<kVectors, false>(row, out);
  } else {
    MaxRow<kVectors, true>(row, out);
  }
}

void MaxPoolRow(const PoolRow<uint8_t>& row, uint8_t* out) {
  switch ((row.channels - 1) / kWidth % kMostVectors) {
    case 0:
      return MaxRowOf<1>(row, out);
    case 1:
      return MaxRowOf<2>(row, out);
    case 2:
      return MaxRowOf<3>(row, out);
    default:
      return MaxRowOf<4>(row, out);
  }
}

void MaxOfRows(const uint8_t* const* rows, int64_t count, int64_t bytes,
               uint8_t* out) {
  int64_t i = 0;
  for (; i + 4 * kWidth <= bytes; i += 4 * kWidth) {
    __m512i greatest[4] = {Avx512::Zero(), Avx512::Zero(), Avx512::Zero(),
                           Avx512::Zero()};
    for (int64_t r = 0; r < count; ++r) {
      NS_UNROLL
      for (int v = 0; v < 4; ++v) {
        greatest[v] = Avx512::MaxBytes(greatest[v],
                                       Avx512::Load(rows[r] + i + v * kWidth));
      }
    }
    NS_UNROLL
    for (int v = 0; v < 4; ++v) {
      Avx512::Store(out + i + v * kWidth, greatest[v]);
    }
  }
  for (; i < bytes; i += kWidth) {
    __m512i greatest = Avx512::Zero();
    for (int64_t r = 0; r < count; ++r) {
      greatest =
          Avx512::MaxBytes(greatest, Avx512::LoadBytes(rows[r] + i, bytes - i));
    }
    Avx512::StoreBytes(out + i, bytes - i, greatest);
  }
}

}  // namespace

const MaxPoolKernels kAvx512MaxPool = {MaxPoolRow, MaxOfRows};

}  // namespace ns::kernels
