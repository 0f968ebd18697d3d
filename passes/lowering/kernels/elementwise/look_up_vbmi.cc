// Looking up bytes where vpermi2b does half of it.
#include <immintrin.h>

#include <cstdint>

#include "passes/lowering/kernels/elementwise/kernels.h"

namespace ns::kernels {
namespace {

struct Table {
  __m512i parts[4];

  // vpermi2b takes seven bits of an index; the eighth chooses the half.
  __m512i operator[](__m512i codes) const {
    const __m512i low = _mm512_permutex2var_epi8(parts[0], codes, parts[1]);
    const __m512i high = _mm512_permutex2var_epi8(parts[2], codes, parts[3]);
    return _mm512_mask_mov_epi8(low, _mm512_movepi8_mask(codes), high);
  }
};

}  // namespace

void LookUpVbmi(const uint8_t* codes, int64_t count, const uint8_t* table,
                uint8_t* out) {
  const Table all = {{_mm512_loadu_si512(table), _mm512_loadu_si512(table + 64),
                      _mm512_loadu_si512(table + 128),
                      _mm512_loadu_si512(table + 192)}};
  int64_t i = 0;
  for (; i + 64 <= count; i += 64) {
    _mm512_storeu_si512(out + i, all[_mm512_loadu_si512(codes + i)]);
  }
  if (i < count) {
    const __mmask64 rest = (uint64_t{1} << (count - i)) - 1;
    _mm512_mask_storeu_epi8(out + i, rest,
                            all[_mm512_maskz_loadu_epi8(rest, codes + i)]);
  }
}

}  // namespace ns::kernels
