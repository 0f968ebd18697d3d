// Multiplies a block of rows in tiles of AMX: up to 16 rows of up to 64
// activations times as many weights of 16 outputs, four tiles of sums at a
// time.
//
//   tiles 0, 1   sums of the first rows with panels 0 and 1
//   tiles 2, 3   sums of the other rows with the same; where there are no
//                others, of the first with panels 2 and 3
//   tiles 4, 5   activations of the first rows and of the others
//   tiles 6, 7   weights
//
// It is for the source of that instruction set only, as row_tiles.h says.
#ifndef PASSES_KERNELS_GEMM_AMX_TILES_H_
#define PASSES_KERNELS_GEMM_AMX_TILES_H_

#include <immintrin.h>

#include <cstdint>

#include "passes/kernels/gemm/amx_row_blocks.h"
#include "passes/kernels/gemm/row_tiles.h"

namespace ns::kernels {
namespace {

constexpr int kQuad = 4;  // panels that are written together
constexpr int kQuadOutputs = kQuad * kPanelOutputs;

struct alignas(64) AmxSums {
  int32_t of[kBlockRows][kQuadOutputs];
};

struct alignas(64) AmxConfig {
  uint8_t palette;
  uint8_t start_row;
  uint8_t reserved[14];
  uint16_t row_bytes[16];
  uint8_t rows[16];
};

// Takes long (160 cycles on Sapphire Rapids) and clears all tiles.
inline void ConfigureTiles(const RowBlock& block) {
  AmxConfig config = {};
  config.palette = 1;
  const int first = block.first.rows;
  const int other = block.other.rows == 0 ? first : block.other.rows;
  const int steps = static_cast<int>(block.tile_k) / kStepBytes;
  const int rows[8] = {first, first, other, other, first, other, steps, steps};
  for (int tile = 0; tile < 8; ++tile) {
    config.row_bytes[tile] = kStepWeights;
    config.rows[tile] = static_cast<uint8_t>(rows[tile]);
  }
  config.row_bytes[4] = static_cast<uint16_t>(block.tile_k);
  config.row_bytes[5] = static_cast<uint16_t>(block.tile_k);
  _tile_loadconfig(&config);
}

inline bool HaveSameConfig(const RowBlock& a, const RowBlock& b) {
  return a.first.rows == b.first.rows && a.other.rows == b.other.rows &&
         a.tile_k == b.tile_k;
}

// Memory that is read later, to be fetched into the L2 cache on the way.
struct Soon {
  const int8_t* next = nullptr;
  const int8_t* end = nullptr;
  int64_t each = 0;  // bytes for each tile of k

  void Fetch() {
    for (int64_t i = 0; i < each && next < end; i += 64, next += 64) {
      __builtin_prefetch(next, 0, 2);
    }
  }
};

// The rows of outputs that are written soon. Fetching their cache lines for
// writing beforehand keeps stores from waiting for them.
struct SoonOut {
  uint8_t* next = nullptr;
  int64_t stride = 0;
  int64_t left = 0;
  int64_t each = 0;  // for each tile of k

  void Fetch() {
    for (int64_t i = 0; i < each && left > 0; ++i, --left, next += stride) {
      __asm__ volatile("prefetchw %0" ::"m"(*next));
    }
  }
};

// The places where sums come from and go to.
struct AmxPlace {
  const int8_t* weights;
  int64_t panel_bytes;
  const int32_t* start;
  int64_t start_stride;  // bytes; 0 for one row that all start with
  int32_t* sums;         // rows of kQuadOutputs
};

// kRowTiles (1 or 2) times kPanels tiles of sums. `kStreams` says that weights
// should not displace activations and sums from the L1 cache.
template <int kRowTiles, int kPanels, bool kStreams>
struct AmxTiles {
  static constexpr int64_t kStride = kQuadOutputs * sizeof(int32_t);

  // GCC's macros print the number of the tile into the assembly, so that it has
  // to be a literal.
  template <int kTile>
  static inline __attribute__((always_inline)) void LoadWeights(
      const int8_t* weights) {
    static_assert(kTile == 6 || kTile == 7);
    if constexpr (kStreams && kTile == 6) {
      _tile_stream_loadd(6, weights, kStepWeights);
    } else if constexpr (kStreams) {
      _tile_stream_loadd(7, weights, kStepWeights);
    } else if constexpr (kTile == 6) {
      _tile_loadd(6, weights, kStepWeights);
    } else {
      _tile_loadd(7, weights, kStepWeights);
    }
  }

  static inline __attribute__((always_inline)) void Start(
      const RowBlock& block, const AmxPlace& place) {
    const int32_t* start = place.start;
    const int64_t stride = place.start_stride;
    const int64_t stride_sums = stride / static_cast<int64_t>(sizeof(*start));
    const int32_t* other =
        start +
        (kRowTiles > 1 ? stride_sums * block.first.rows : 2 * kPanelOutputs);
    _tile_loadd(0, start, stride);
    if constexpr (kPanels > 1) {
      _tile_loadd(1, start + kPanelOutputs, stride);
    }
    if constexpr (kRowTiles > 1 || kPanels > 2) {
      _tile_loadd(2, other, stride);
    }
    if constexpr (kRowTiles * kPanels > 3) {
      _tile_loadd(3, other + kPanelOutputs, stride);
    }
  }

  // Calls `between` after each tile of k.
  template <typename Between>
  static inline __attribute__((always_inline)) void Add(
      const RowBlock& block, const AmxPlace& place, const Between& between) {
    const int8_t* weights = place.weights;
    const int64_t panel_bytes = place.panel_bytes;
    // The bytes of a panel, for one tile of k.
    const int64_t weight_bytes = block.tile_k * kPanelOutputs;
    for (int64_t run = 0; run < block.runs; ++run) {
      const uint8_t* first = block.first.base + block.run_offsets[run];
      const uint8_t* other = (kRowTiles > 1 ? block.other : block.first).base +
                             block.run_offsets[run];
      for (int64_t k = 0; k < block.run_tiles; ++k) {
        _tile_loadd(4, first, block.first.stride);
        LoadWeights<6>(weights);
        _tile_dpbusd(0, 4, 6);
        if constexpr (kPanels > 1) {
          LoadWeights<7>(weights + panel_bytes);
          _tile_dpbusd(1, 4, 7);
        }
        if constexpr (kRowTiles > 1) {
          _tile_loadd(5, other, block.other.stride);
          _tile_dpbusd(2, 5, 6);
          if constexpr (kPanels > 1) {
            _tile_dpbusd(3, 5, 7);
          }
        } else {
          if constexpr (kPanels > 2) {
            LoadWeights<6>(weights + 2 * panel_bytes);
            _tile_dpbusd(2, 4, 6);
          }
          if constexpr (kPanels > 3) {
            LoadWeights<7>(weights + 3 * panel_bytes);
            _tile_dpbusd(3, 4, 7);
          }
        }
        first += block.tile_stride;
        other += block.tile_stride;
        weights += weight_bytes;
        between();
      }
    }
  }

  // Calls `between` after each tile of sums.
  template <typename Between>
  static inline __attribute__((always_inline)) void Store(
      const RowBlock& block, int32_t* sums, const Between& between) {
    int32_t* other = sums + (kRowTiles > 1 ? block.first.rows * kQuadOutputs
                                           : 2 * kPanelOutputs);
    _tile_stored(0, sums, kStride);
    between();
    if constexpr (kPanels > 1) {
      _tile_stored(1, sums + kPanelOutputs, kStride);
      between();
    }
    if constexpr (kRowTiles > 1 || kPanels > 2) {
      _tile_stored(2, other, kStride);
      between();
    }
    if constexpr (kRowTiles * kPanels > 3) {
      _tile_stored(3, other + kPanelOutputs, kStride);
      between();
    }
  }
};

}  // namespace
}  // namespace ns::kernels

#endif  // PASSES_KERNELS_GEMM_AMX_TILES_H_
