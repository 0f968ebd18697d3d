// GEMM of rows in tiles of AMX: up to 16 rows of up to 64 activations times as
// many weights of 16 outputs, four tiles of sums at a time.
//
//   tiles 0, 1   sums of the first rows with panels 0 and 1
//   tiles 2, 3   sums of the other rows with the same; where there are no
//                others, of the first with panels 2 and 3
//   tiles 4, 5   activations of the first rows and of the others
//   tiles 6, 7   weights
//
// Sums leave tiles by way of memory. They become codes while the tiles work on
// the next ones: the two take about as long.
#include <immintrin.h>

#include "passes/lowering/kernels/gemm/amx_row_blocks.h"
#include "passes/lowering/kernels/gemm/row_kernels.h"
#include "passes/lowering/kernels/gemm/row_tiles.h"
#include "passes/lowering/kernels/gemm/vectors512.h"

namespace ns::kernels {
namespace {

struct NoProducts {};
using Vectors = Vectors512<NoProducts>;

constexpr int kQuad = 4;  // panels that are written together
// As many weights stay in the L2 cache while all rows meet them.
constexpr int64_t kGroupBytes = 640 << 10;
// More of them do not stay in the L1 cache until the next rows meet them: they
// are loaded in a way that leaves activations and sums there.
constexpr int64_t kStreamedBytes = 24 << 10;
// Up to so many tiles of k there is room for a second quad of sums there.
constexpr int64_t kFewTiles = 6;

struct alignas(64) Sums {
  int32_t of[kBlockRows][kQuad * kPanelOutputs];
};

struct alignas(64) TileConfig {
  uint8_t palette;
  uint8_t start_row;
  uint8_t reserved[14];
  uint16_t row_bytes[16];
  uint8_t rows[16];
};

void Configure(const RowBlock& block) {
  TileConfig config = {};
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

bool HaveSameConfig(const RowBlock& a, const RowBlock& b) {
  return a.first.rows == b.first.rows && a.other.rows == b.other.rows &&
         a.tile_k == b.tile_k;
}

// Weights that a later group needs, to be fetched on the way.
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

// Sums of four panels that are to become codes.
struct Pending {
  const Sums* sums = nullptr;
  int row = 0;
  int rows = 0;
  int64_t output = 0;
  uint8_t* out = nullptr;
};

class AmxRows {
 public:
  explicit AmxRows(const RowTask& task)
      : task_(task),
        writes_codes_(task.view.type == OutputType::kU8 ||
                      task.view.type == OutputType::kS8),
        output_bytes_(writes_codes_ ? 1 : 4),
        code_view_(task.view),
        panels_((task.outputs + kPanelOutputs - 1) / kPanelOutputs),
        row_blocks_(task) {
    if (!writes_codes_) {
      // Bounds of reals may be no codes.
      code_view_.min = 0;
      code_view_.max = 0;
    }
  }

  void Run() {
    for (int64_t row = 0; row < task_.row_count;) {
      row = RunBlocks(row);
    }
    // So that nothing of tiles has to be saved when threads change.
    _tile_release();
  }

 private:
  using Codes = typename Vectors::Codes<kQuad>;

  static constexpr int kMostBlocks = 16;
  static constexpr int64_t kStoreChances = 4;

  // Rows from `first` on, as many as blocks and scratch suffice for. The row
  // behind them.
  int64_t RunBlocks(int64_t first) {
    RowBlock blocks[kMostBlocks];
    int block_count = 0;
    int64_t copied_rows = 0;
    int64_t row = first;
    while (row < task_.row_count && block_count < kMostBlocks &&
           copied_rows + kBlockRows <= task_.scratch_rows) {
      RowBlock& block = blocks[block_count++];
      uint8_t* const scratch =
          task_.scratch + copied_rows * row_blocks_.CopiedBytes();
      copied_rows += row_blocks_.Next(row, scratch, block) ? kBlockRows : 0;
      row += block.rows();
    }
    int32_t row_sums[kMostBlocks * kBlockRows];
    const bool needs_row_sums = task_.view.weight_zero_points != nullptr;
    if (needs_row_sums) {
      RowTiles<Vectors>::SumRows(task_, first, row - first, row_sums);
    }
    int64_t group = kGroupBytes / (kQuad * task_.panel_bytes) * kQuad;
    group = group < kQuad ? kQuad : group;
    const RowBlock* configured = nullptr;
    for (int64_t panel = 0; panel < panels_; panel += group) {
      const int64_t end = panel + group < panels_ ? panel + group : panels_;
      soon_.next = task_.weights + end * task_.panel_bytes;
      const int64_t soon_end = end + group < panels_ ? end + group : panels_;
      soon_.end = task_.weights + soon_end * task_.panel_bytes;
      soon_.each = 2 * kTileBytes / block_count;
      streams_ = (end - panel) * task_.panel_bytes > kStreamedBytes;
      for (int i = 0; i < block_count; ++i) {
        const RowBlock& block = blocks[i];
        if (configured == nullptr || !HaveSameConfig(block, *configured)) {
          Configure(block);
          configured = &block;
        }
        for (int64_t p = panel; p < end; p += kQuad) {
          const int64_t width = end - p < kQuad ? end - p : kQuad;
          RunQuad(block, p, static_cast<int>(width),
                  needs_row_sums ? row_sums + block.row - first : nullptr);
        }
      }
    }
    WritePending();
    return row;
  }

  // The outputs of `width` panels from `panel` on, for the rows of `block`.
  void RunQuad(const RowBlock& block, int64_t panel, int width,
               const int32_t* row_sums) {
    // With one quad of sums only, it is to be written before the first half of
    // the next is known.
    const int64_t tiles = block.tiles();
    const bool alternates = tiles <= kFewTiles;
    const int halves = block.other.rows > 0 && width > 2 ? 2 : 1;
    if (alternates) {
      turn_ = 1 - turn_;
    } else if (row_sums != nullptr) {
      WritePending();
    }
    const int64_t chances =
        alternates ? halves * (tiles + kStoreChances) : tiles;
    rows_each_ = (pending_.rows - pending_.row + chances - 1) / chances;
    Sums& sums = sums_[turn_];
    const int64_t output = panel * kPanelOutputs;
    Place place = {task_.weights + panel * task_.panel_bytes, sums.of[0],
                   sizeof(sums.of[0]), sums.of[0], alternates};
    if (row_sums == nullptr) {
      // One row for all.
      place.start = start_;
      place.start_stride = 0;
      StoreStart(output, width, nullptr, 1, start_);
    } else {
      StoreStart(output, width, row_sums, block.rows(), sums.of[0]);
    }
    if (block.other.rows == 0) {
      MultiplyQuad(block, place, width);
    } else {
      for (int half = 0; half < width; half += 2) {
        MultiplyHalf(block, place, width - half);
        place.weights += 2 * task_.panel_bytes;
        place.start += 2 * kPanelOutputs;
        place.sums += 2 * kPanelOutputs;
      }
    }
    WritePending();
    uint8_t* out = static_cast<uint8_t*>(task_.out) +
                   (block.row * task_.row_stride + output) * output_bytes_;
    if (writes_codes_) {
      pending_ = {&sums, 0, block.rows(), output, out};
      return;
    }
    TilePlace numbers = {};
    numbers.output = output;
    numbers.out = out;
    RowTiles<Vectors>::WriteNumbers(task_, numbers, sums.of[0], block.rows(),
                                    kQuad);
  }

  // What sums start with, of `count` rows.
  void StoreStart(int64_t output, int width, const int32_t* row_sums, int count,
                  int32_t* to) const {
    for (int p = 0; p < width; ++p) {
      const int64_t first = output + p * kPanelOutputs;
      const auto lanes = Vectors::FirstLanes(task_.outputs - first);
      const __m512i start = Vectors::Load(task_.view.start + first, lanes);
      if (row_sums == nullptr) {
        Vectors::Store(to + p * kPanelOutputs, start);
        continue;
      }
      const __m512i zero_point =
          Vectors::Load(task_.view.weight_zero_points + first, lanes);
      for (int row = 0; row < count; ++row) {
        Vectors::Store(to + row * kQuad * kPanelOutputs + p * kPanelOutputs,
                       Vectors::SubtractProduct(
                           start, Vectors::Set(row_sums[row]), zero_point));
      }
    }
  }

  // Where Multiply finds what is not of its rows, and leaves what it finds out.
  struct Place {
    const int8_t* weights;
    const int32_t* start;
    int64_t start_stride;  // bytes
    int32_t* sums;
    // Whether sums may be stored while others are pending.
    bool alternates;
  };

  void MultiplyQuad(const RowBlock& block, const Place& place, int width) {
    switch (width) {
      case 1:
        return Multiply<1, 1>(block, place);
      case 2:
        return Multiply<1, 2>(block, place);
      case 3:
        return Multiply<1, 3>(block, place);
      default:
        return Multiply<1, 4>(block, place);
    }
  }

  void MultiplyHalf(const RowBlock& block, const Place& place, int width) {
    if (width == 1) {
      return Multiply<2, 1>(block, place);
    }
    Multiply<2, 2>(block, place);
  }

  template <int RowTiles, int Panels>
  void Multiply(const RowBlock& block, const Place& place) {
    if (streams_) {
      return Multiply<RowTiles, Panels, true>(block, place);
    }
    Multiply<RowTiles, Panels, false>(block, place);
  }

  template <int Tile, bool Streams>
  static inline __attribute__((always_inline)) void LoadWeights(
      const int8_t* weights) {
    if constexpr (Streams) {
      _tile_stream_loadd(Tile, weights, kTileK);
    } else {
      _tile_loadd(Tile, weights, kTileK);
    }
  }

  // Sums of one or two tiles of rows with some panels. On the way, writes some
  // pending rows at each tile of k and, if it may, at each tile of sums.
  template <int RowTiles, int Panels, bool Streams>
  __attribute__((noinline)) void Multiply(const RowBlock& block,
                                          const Place& place) {
    constexpr int64_t kStride = kQuad * kPanelOutputs * sizeof(int32_t);
    const int32_t* const start = place.start;
    const int64_t start_stride = place.start_stride;
    const int64_t other =
        start_stride / static_cast<int64_t>(sizeof(int32_t)) * block.first.rows;
    const int64_t weights_step = block.tile_k * kPanelOutputs;
    const int64_t panel_bytes = task_.panel_bytes;
    const int8_t* weights = place.weights;
    _tile_loadd(0, start, start_stride);
    if constexpr (Panels > 1) {
      _tile_loadd(1, start + kPanelOutputs, start_stride);
    }
    if constexpr (RowTiles > 1) {
      _tile_loadd(2, start + other, start_stride);
    } else if constexpr (Panels > 2) {
      _tile_loadd(2, start + 2 * kPanelOutputs, start_stride);
    }
    if constexpr (RowTiles > 1 && Panels > 1) {
      _tile_loadd(3, start + other + kPanelOutputs, start_stride);
    } else if constexpr (Panels > 3) {
      _tile_loadd(3, start + 3 * kPanelOutputs, start_stride);
    }
    Pending pending = pending_;
    Soon soon = soon_;
    const int64_t rows_each = rows_each_;
    const Codes codes(code_view_, pending.output, task_.outputs);
    const auto write_rows = [&] {
      for (int64_t i = 0; i < rows_each && pending.row < pending.rows; ++i) {
        WriteRow(pending, codes);
      }
    };
    for (int64_t run = 0; run < block.runs; ++run) {
      const uint8_t* a = block.first.base + block.run_offsets[run];
      const uint8_t* b = block.other.base;
      if constexpr (RowTiles > 1) {
        b += block.run_offsets[run];
      }
      for (int64_t k = 0; k < block.run_tiles; ++k) {
        _tile_loadd(4, a, block.first.stride);
        LoadWeights<6, Streams>(weights);
        _tile_dpbusd(0, 4, 6);
        if constexpr (Panels > 1) {
          LoadWeights<7, Streams>(weights + panel_bytes);
          _tile_dpbusd(1, 4, 7);
        }
        if constexpr (RowTiles > 1) {
          _tile_loadd(5, b, block.other.stride);
          _tile_dpbusd(2, 5, 6);
          if constexpr (Panels > 1) {
            _tile_dpbusd(3, 5, 7);
          }
        } else {
          if constexpr (Panels > 2) {
            LoadWeights<6, Streams>(weights + 2 * panel_bytes);
            _tile_dpbusd(2, 4, 6);
          }
          if constexpr (Panels > 3) {
            LoadWeights<7, Streams>(weights + 3 * panel_bytes);
            _tile_dpbusd(3, 4, 7);
          }
        }
        a += block.tile_stride;
        b += block.tile_stride;
        weights += weights_step;
        write_rows();
        soon.Fetch();
      }
    }
    const int64_t stores_each = place.alternates ? rows_each : 0;
    int32_t* const sums = place.sums;
    const auto write_rows_after_store = [&] {
      for (int64_t i = 0; i < stores_each && pending.row < pending.rows; ++i) {
        WriteRow(pending, codes);
      }
    };
    if (!place.alternates) {
      while (pending.row < pending.rows) {
        WriteRow(pending, codes);
      }
    }
    _tile_stored(0, sums, kStride);
    write_rows_after_store();
    if constexpr (Panels > 1) {
      _tile_stored(1, sums + kPanelOutputs, kStride);
      write_rows_after_store();
    }
    const int other_sums = block.first.rows * kQuad * kPanelOutputs;
    if constexpr (RowTiles > 1) {
      _tile_stored(2, sums + other_sums, kStride);
      write_rows_after_store();
    } else if constexpr (Panels > 2) {
      _tile_stored(2, sums + 2 * kPanelOutputs, kStride);
      write_rows_after_store();
    }
    if constexpr (RowTiles > 1 && Panels > 1) {
      _tile_stored(3, sums + other_sums + kPanelOutputs, kStride);
      write_rows_after_store();
    } else if constexpr (Panels > 3) {
      _tile_stored(3, sums + 3 * kPanelOutputs, kStride);
      write_rows_after_store();
    }
    pending_.row = pending.row;
    soon_.next = soon.next;
  }

  inline __attribute__((always_inline)) void WriteRow(
      Pending& pending, const Codes& codes) const {
    const int32_t* from = pending.sums->of[pending.row];
    const __m512i sums[kQuad] = {
        _mm512_load_si512(from), _mm512_load_si512(from + 16),
        _mm512_load_si512(from + 32), _mm512_load_si512(from + 48)};
    codes.Write(sums, pending.out + pending.row * task_.row_stride);
    ++pending.row;
  }

  void WritePending() {
    if (pending_.row == pending_.rows) {
      return;
    }
    const Codes codes(code_view_, pending_.output, task_.outputs);
    while (pending_.row < pending_.rows) {
      WriteRow(pending_, codes);
    }
  }

  const RowTask& task_;
  const bool writes_codes_;
  const int64_t output_bytes_;
  OutputView code_view_;
  const int64_t panels_;
  RowBlocks row_blocks_;
  Sums sums_[2];
  int turn_ = 0;
  alignas(64) int32_t start_[kQuad * kPanelOutputs];
  Pending pending_;
  int64_t rows_each_ = 0;
  bool streams_ = false;
  Soon soon_;
};

}  // namespace

void GemmRowsAmx(const RowTask& task) {
  // Fewer rows do not fill tiles enough to gain from them, and sums of few
  // products are sooner done in registers, which they leave without a way
  // through memory.
  constexpr int64_t kLeastRows = 3;
  constexpr int64_t kManyRows = 24;
  constexpr int64_t kLeastK = 32;
  constexpr int64_t kLeastProducts = 256;  // k times panels, of 16 rows
  const int64_t k = task.runs * task.run_length;
  const int64_t panels = (task.outputs + kPanelOutputs - 1) / kPanelOutputs;
  const int64_t rows = task.row_count < kManyRows ? task.row_count : kManyRows;
  if (rows < kLeastRows || k < kLeastK ||
      k * panels * rows < kLeastProducts * kTileRows) {
    GemmRowsAvx512Vnni(task);
    return;
  }
  AmxRows(task).Run();
}

}  // namespace ns::kernels
