// Looking up bytes where vpermi2b does half of it.
#include <immintrin.h>

#include <cstdint>

#include "passes/kernels/elementwise/kernels.h"

namespace ns::kernels {
namespace {

struct Table {
  __m512i parts[4];

  // vpermi2b takes seven bits of an index; the eighth chooses the half.
  __m512i operator[](__m512i quantized) const {
    const __m512i low = _mm512_permutex2var_epi8(parts[0], quantized, parts[1]);
    const __m512i high =
        _mm512_permutex2var_epi8(parts[2], quantized, parts[3]);
    return _mm512_mask_mov_epi8(low, _mm512_movepi8_mask(quantized), high);
  }
};

}  // namespace

void LookUpVbmi(ByteRows quantized, const uint8_t* table, uint8_t* out,
                int64_t out_stride) {
  const Table all = {{_mm512_loadu_si512(table), _mm512_loadu_si512(table + 64),
                      _mm512_loadu_si512(table + 128),
                      _mm512_loadu_si512(table + 192)}};
  const int64_t rest = quantized.row_bytes % 64;
  const __mmask64 rest_lanes = (uint64_t{1} << rest) - 1;
  for (int64_t row = 0; row < quantized.rows; ++row) {
    const uint8_t* in = quantized.data + row * quantized.stride;
    uint8_t* row_out = out + row * out_stride;
    int64_t i = 0;
    for (; i + 64 <= quantized.row_bytes; i += 64) {
      _mm512_storeu_si512(row_out + i, all[_mm512_loadu_si512(in + i)]);
    }
    if (rest > 0) {
      const __m512i some = _mm512_maskz_loadu_epi8(rest_lanes, in + i);
      _mm512_mask_storeu_epi8(row_out + i, rest_lanes, all[some]);
    }
  }
}

}  // namespace ns::kernels
