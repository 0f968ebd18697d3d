#include "tools/bench/kernels/peaks.h"

#include <immintrin.h>

namespace ns::bench {
namespace {

// The accumulators of each loop: more than latency times instructions per cycle
// of any processor there is.
#define NS_FOR_12(X) \
  X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)
#define NS_CLOBBER_12                                                     \
  "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", \
      "xmm9", "xmm10", "xmm11"

#define NS_DPBUSD_512(n) "vpdpbusd %%zmm15, %%zmm14, %%zmm" #n "\n"
#define NS_DPBUSD_256(n) "%{vex%} vpdpbusd %%ymm15, %%ymm14, %%ymm" #n "\n"
#define NS_MADDUBS_512(n)                                              \
  "vpmaddubsw %%zmm15, %%zmm14, %%zmm12\n vpmaddwd %%zmm12, %%zmm14, " \
  "%%zmm12\n vpaddd %%zmm12, %%zmm" #n ", %%zmm" #n "\n"
#define NS_MADDUBS_256(n)                                              \
  "vpmaddubsw %%ymm15, %%ymm14, %%ymm12\n vpmaddwd %%ymm12, %%ymm14, " \
  "%%ymm12\n vpaddd %%ymm12, %%ymm" #n ", %%ymm" #n "\n"

// Zeros everywhere: some processors are faster at them, so operands are ones.
#define NS_ONES_512                              \
  "vpternlogd $255, %%zmm14, %%zmm14, %%zmm14\n" \
  "vpternlogd $255, %%zmm15, %%zmm15, %%zmm15\n"
#define NS_ONES_256 \
  "vpcmpeqd %%ymm14, %%ymm14, %%ymm14\n vpcmpeqd %%ymm15, %%ymm15, %%ymm15\n"

#define NS_LOOP(ones, instruction) \
  asm volatile(ones "1:\n" NS_FOR_12(instruction) "dec %0\n jnz 1b\n"        \
                                                  "vzeroupper\n"             \
               : "+r"(iterations)                                            \
               :                                                             \
               : "cc", NS_CLOBBER_12, "xmm12", "xmm14", "xmm15")

void Dpbusd512(int64_t iterations) { NS_LOOP(NS_ONES_512, NS_DPBUSD_512); }
void Dpbusd256(int64_t iterations) { NS_LOOP(NS_ONES_256, NS_DPBUSD_256); }
void Maddubs512(int64_t iterations) { NS_LOOP(NS_ONES_512, NS_MADDUBS_512); }
void Maddubs256(int64_t iterations) { NS_LOOP(NS_ONES_256, NS_MADDUBS_256); }

#undef NS_FOR_12
#undef NS_DPBUSD_512
#undef NS_DPBUSD_256
#undef NS_MADDUBS_512
#undef NS_MADDUBS_256
#undef NS_ONES_512
#undef NS_ONES_256
#undef NS_LOOP

// The inner loop of a GEMM of 8 rows and 48 outputs, of operands that stay in
// the L1 cache: 11 loads for 24 products.
#define NS_ROW(n, a, b, c)              \
  "vpbroadcastd 4*" #n                  \
  "(%1), %%zmm27\n"                     \
  "vpdpbusd %%zmm24, %%zmm27, %%zmm" #a \
  "\n"                                  \
  "vpdpbusd %%zmm25, %%zmm27, %%zmm" #b \
  "\n"                                  \
  "vpdpbusd %%zmm26, %%zmm27, %%zmm" #c "\n"

__attribute__((target("avx512f"))) void LoadingDpbusd512(int64_t iterations) {
  // Numbers as they come: multiplying constants takes less power.
  alignas(64) uint8_t operands[4 * 64];
  uint32_t next = 1;
  for (uint8_t& operand : operands) {
    next = next * 1664525 + 1013904223;
    operand = next >> 24;
  }
  asm volatile(
      "1:\n vmovdqa64 64(%1), %%zmm24\n vmovdqa64 128(%1), %%zmm25\n"
      "vmovdqa64 192(%1), %%zmm26\n" NS_ROW(0, 0, 1, 2) NS_ROW(1, 3, 4, 5)
          NS_ROW(2, 6, 7, 8) NS_ROW(3, 9, 10, 11) NS_ROW(4, 12, 13, 14)
              NS_ROW(5, 15, 16, 17) NS_ROW(6, 18, 19, 20)
                  NS_ROW(7, 21, 22, 23) "dec %0\n jnz 1b\n vzeroupper\n"
      : "+r"(iterations)
      : "r"(operands)
      : "cc", "memory", NS_CLOBBER_12, "xmm12", "xmm13", "xmm14", "xmm15",
        "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23",
        "xmm24", "xmm25", "xmm26", "xmm27");
}
#undef NS_ROW
#undef NS_CLOBBER_12

// What ldtilecfg reads.
struct alignas(64) TileConfig {
  uint8_t palette = 1;
  uint8_t start_row = 0;
  uint8_t reserved[14] = {};
  uint16_t row_bytes[16] = {};
  uint8_t rows[16] = {};
};

// Six accumulators of 16 x 16; tiles 6 and 7 are the operands.
void Tiles(int64_t iterations) {
  TileConfig config;
  for (int tile = 0; tile < 8; ++tile) {
    config.row_bytes[tile] = 64;
    config.rows[tile] = 16;
  }
  asm volatile(
      "ldtilecfg %1\n"
      "tilezero %%tmm0\n tilezero %%tmm1\n tilezero %%tmm2\n"
      "tilezero %%tmm3\n tilezero %%tmm4\n tilezero %%tmm5\n"
      "tilezero %%tmm6\n tilezero %%tmm7\n"
      "1:\n"
      "tdpbusd %%tmm7, %%tmm6, %%tmm0\n tdpbusd %%tmm7, %%tmm6, %%tmm1\n"
      "tdpbusd %%tmm7, %%tmm6, %%tmm2\n tdpbusd %%tmm7, %%tmm6, %%tmm3\n"
      "tdpbusd %%tmm7, %%tmm6, %%tmm4\n tdpbusd %%tmm7, %%tmm6, %%tmm5\n"
      "dec %0\n jnz 1b\n"
      "tilerelease\n"
      : "+r"(iterations)
      : "m"(config)
      : "cc");
}

// Keeps loads from being optimised away.
volatile int64_t sink;

constexpr int kLines = 8;
constexpr int64_t kAhead = 4096;

template <bool kPrefetch>
__attribute__((target("avx512f"))) void Read512(const char* data,
                                                int64_t bytes) {
  __m512i seen[kLines] = {};
  for (int64_t i = 0; i < bytes; i += 64 * kLines) {
    for (int line = 0; line < kLines; ++line) {
      const char* at = data + i + 64 * line;
      if (kPrefetch) {
        _mm_prefetch(at + kAhead, _MM_HINT_T0);
      }
      seen[line] = _mm512_or_si512(seen[line], _mm512_loadu_si512(at));
    }
  }
  for (int line = 1; line < kLines; ++line) {
    seen[0] = _mm512_or_si512(seen[0], seen[line]);
  }
  sink = _mm512_reduce_or_epi64(seen[0]);
}

template <bool kPrefetch>
__attribute__((target("avx2"))) void Read256(const char* data, int64_t bytes) {
  __m256i seen[kLines] = {};
  for (int64_t i = 0; i < bytes; i += 32 * kLines) {
    for (int half = 0; half < kLines; ++half) {
      const char* at = data + i + 32 * half;
      if (kPrefetch && half % 2 == 0) {
        _mm_prefetch(at + kAhead, _MM_HINT_T0);
      }
      seen[half] = _mm256_or_si256(
          seen[half], _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at)));
    }
  }
  for (int half = 1; half < kLines; ++half) {
    seen[0] = _mm256_or_si256(seen[0], seen[half]);
  }
  sink = _mm256_extract_epi64(seen[0], 0);
}

template <bool kPrefetch>
void Read(const void* data, int64_t bytes) {
  constexpr int64_t kStep = 64 * kLines;
  const char* from = static_cast<const char*>(data);
  const int64_t whole = bytes / kStep * kStep;
  int64_t read = 0;
  if (__builtin_cpu_supports("avx512f")) {
    Read512<kPrefetch>(from, whole);
    read = whole;
  } else if (__builtin_cpu_supports("avx2")) {
    Read256<kPrefetch>(from, whole);
    read = whole;
  }
  int64_t seen = 0;
  for (; read < bytes; ++read) {
    seen |= from[read];
  }
  sink = seen;
}

}  // namespace

// Twelve instructions of 4 products a lane; the chain has the same products.
const PeakLoop kPeakDpbusd512 = {"vpdpbusd zmm", 12 * 128, Dpbusd512};
const PeakLoop kPeakDpbusd256 = {"vpdpbusd ymm", 12 * 64, Dpbusd256};
const PeakLoop kPeakMaddubs512 = {"vpmaddubsw zmm", 12 * 128, Maddubs512};
const PeakLoop kPeakMaddubs256 = {"vpmaddubsw ymm", 12 * 64, Maddubs256};
const PeakLoop kLoadingDpbusd512 = {"vpdpbusd zmm, loading", 24 * 128,
                                    LoadingDpbusd512};
const PeakLoop kPeakTiles = {"tdpbusd", 6.0 * 2 * 16 * 16 * 64, Tiles};

void ReadMemory(const void* data, int64_t bytes) { Read<false>(data, bytes); }
void ReadMemoryAhead(const void* data, int64_t bytes) {
  Read<true>(data, bytes);
}

}  // namespace ns::bench
