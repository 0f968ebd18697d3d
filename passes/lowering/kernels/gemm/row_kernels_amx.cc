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

#include "passes/lowering/kernels/gemm/row_kernels.h"
#include "passes/lowering/kernels/gemm/row_tiles.h"
#include "passes/lowering/kernels/gemm/vectors512.h"

namespace ns::kernels {
namespace {

struct NoProducts {};
using Vectors = Vectors512<NoProducts>;

constexpr int kTileRows = 16;
constexpr int kTileK = 64;  // activations of a row
constexpr int kTileBytes = kTileRows * kTileK;
constexpr int kBlockRows = 2 * kTileRows;
constexpr int kQuad = 4;  // panels that are written together
// As many weights stay in the L2 cache while all rows meet them.
constexpr int64_t kGroupBytes = 640 << 10;

// Up to 16 rows at one distance.
struct RowTile {
  const uint8_t* base = nullptr;
  int64_t stride = 0;
  int rows = 0;
};

// Up to 32 rows, and how k goes through them.
struct RowBlock {
  int64_t row;  // the first
  RowTile first;
  RowTile other;  // of no rows, sometimes
  int64_t runs;
  const int64_t* run_offsets;
  int64_t run_tiles;    // tiles of k in a run
  int64_t tile_k;       // activations of a row in a tile
  int64_t tile_stride;  // bytes from one tile of a run to the next

  int rows() const { return first.rows + other.rows; }
};

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
  const int other = block.other.rows == 0 ? block.first.rows : block.other.rows;
  const int steps = static_cast<int>(block.tile_k) / kStepBytes;
  const int rows[8] = {block.first.rows,
                       block.first.rows,
                       other,
                       other,
                       block.first.rows,
                       other,
                       steps,
                       steps};
  for (int tile = 0; tile < 8; ++tile) {
    config.row_bytes[tile] = tile == 4 || tile == 5
                                 ? static_cast<uint16_t>(block.tile_k)
                                 : kStepWeights;
    config.rows[tile] = static_cast<uint8_t>(rows[tile]);
  }
  _tile_loadconfig(&config);
}

bool SameConfig(const RowBlock& a, const RowBlock& b) {
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
        panels_((task.outputs + kPanelOutputs - 1) / kPanelOutputs) {
    const int64_t run_steps = (task.run_length + kStepBytes - 1) / kStepBytes;
    copied_tiles_ = (task.runs * run_steps * kStepBytes + kTileK - 1) / kTileK;
    // Tiles of one size that make a run.
    run_tiles_ = (task.run_length + kTileK - 1) / kTileK;
    while (run_tiles_ < run_steps && run_steps % run_tiles_ != 0) {
      ++run_tiles_;
    }
    tile_k_ = task.run_length / run_tiles_;
    // Short tiles take as long as others: more of them for each panel, or a
    // copy of each.
    constexpr int64_t kPanelsOfCopy = 5;
    const int64_t tiles = task.runs * run_tiles_;
    has_run_tiles_ = task.run_length % kStepBytes == 0 &&
                     (tiles - copied_tiles_) * panels_ <= tiles * kPanelsOfCopy;
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

  // Rows from `first` on, as many as fit into blocks. The one behind them.
  int64_t RunBlocks(int64_t first) {
    RowBlock blocks[kMostBlocks];
    int block_count = 0;
    int64_t copied_rows = 0;
    int64_t row = first;
    while (row < task_.row_count && block_count < kMostBlocks &&
           copied_rows + kBlockRows <= task_.scratch_rows) {
      RowBlock& block = blocks[block_count];
      if (!LocateBlock(row, block)) {
        CopyBlock(row, task_.scratch + copied_rows * copied_tiles_ * kTileK,
                  block);
        copied_rows += kBlockRows;
      }
      row += block.rows();
      ++block_count;
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
      for (int i = 0; i < block_count; ++i) {
        const RowBlock& block = blocks[i];
        if (configured == nullptr || !SameConfig(block, *configured)) {
          Configure(block);
        }
        configured = &block;
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

  // Activations from `row` on where they are, if few rows at one distance do
  // not make it slower than a copy.
  bool LocateBlock(int64_t row, RowBlock& block) {
    if (!has_run_tiles_) {
      return false;
    }
    block.row = row;
    block.first = FindTile(row);
    if (!IsWorthLocating(block.first, row)) {
      return false;
    }
    row += block.first.rows;
    block.other = row < task_.row_count ? FindTile(row) : RowTile();
    if (block.other.rows > 0 && !IsWorthLocating(block.other, row)) {
      block.other = RowTile();
    }
    block.runs = task_.runs;
    block.run_offsets = task_.run_offsets;
    block.run_tiles = run_tiles_;
    block.tile_k = tile_k_;
    block.tile_stride = tile_k_;
    return true;
  }

  // A tile takes as long as 13 rows at least, for so long a product waits for
  // the last one. The fewer panels, the more a copy counts.
  bool IsWorthLocating(const RowTile& tile, int64_t row) const {
    constexpr int kEnough = 12;
    constexpr int kEnoughOfFewPanels = 8;
    constexpr int64_t kFewPanels = 8;
    return tile.rows >= (panels_ > kFewPanels ? kEnough : kEnoughOfFewPanels) ||
           row + tile.rows == task_.row_count;
  }

  // The next of equal parts of the rows at one distance from `row` on.
  RowTile FindTile(int64_t row) {
    const uint8_t* const* rows = task_.rows;
    if (row >= stretch_end_) {
      stretch_ = row + 1 < task_.row_count ? rows[row + 1] - rows[row] : 0;
      stretch_end_ = row + 1;
      while (stretch_end_ < task_.row_count &&
             rows[stretch_end_] - rows[stretch_end_ - 1] == stretch_) {
        ++stretch_end_;
      }
    }
    const int64_t left = stretch_end_ - row;
    const int64_t tiles = (left + kTileRows - 1) / kTileRows;
    return {rows[row], stretch_, static_cast<int>((left + tiles - 1) / tiles)};
  }

  // Up to 32 rows, copied in the order of tiles.
  void CopyBlock(int64_t row, uint8_t* scratch, RowBlock& block) {
    static constexpr int64_t kNoOffset = 0;
    const int64_t left = task_.row_count - row;
    const int count = static_cast<int>(left < kBlockRows ? left : kBlockRows);
    const int first = count < kTileRows ? count : kTileRows;
    block.row = row;
    block.first = {scratch, kTileK, first};
    block.other = {scratch + copied_tiles_ * kTileBytes, kTileK, count - first};
    block.runs = 1;
    block.run_offsets = &kNoOffset;
    block.run_tiles = copied_tiles_;
    block.tile_k = kTileK;
    block.tile_stride = kTileBytes;
    for (int i = 0; i < count; ++i) {
      CopyRow(task_.rows[row + i],
              scratch + i / kTileRows * copied_tiles_ * kTileBytes +
                  i % kTileRows * kTileK);
    }
  }

  void CopyRow(const uint8_t* row, uint8_t* to) const {
    const int64_t padded =
        (task_.run_length + kStepBytes - 1) / kStepBytes * kStepBytes;
    // Weights of another panel meet what is behind the last run.
    _mm512_store_si512(to + (copied_tiles_ - 1) * kTileBytes,
                       _mm512_setzero_si512());
    for (int64_t run = 0; run < task_.runs; ++run) {
      const uint8_t* from = row + task_.run_offsets[run];
      int64_t position = run * padded;
      int64_t left = task_.run_length;
      while (left > 0) {
        const int64_t room = kTileK - position % kTileK;
        const int64_t count = left < room ? left : room;
        const __mmask64 bytes = Vectors::FirstBytes(count);
        _mm512_mask_storeu_epi8(
            to + position / kTileK * kTileBytes + position % kTileK, bytes,
            _mm512_maskz_loadu_epi8(bytes, from));
        from += count;
        position += count;
        left -= count;
      }
    }
  }

  // The outputs of `width` panels from `panel` on, for the rows of `block`.
  void RunQuad(const RowBlock& block, int64_t panel, int width,
               const int32_t* row_sums) {
    Sums& sums = sums_[turn_];
    turn_ = 1 - turn_;
    const int64_t output = panel * kPanelOutputs;
    const int32_t* start = sums.of[0];
    int64_t start_stride = sizeof(sums.of[0]);
    if (row_sums == nullptr) {
      // One row for all.
      start_stride = 0;
      start = start_;
      StoreStart(output, width, nullptr, 1, start_);
    } else {
      StoreStart(output, width, row_sums, block.rows(), sums.of[0]);
    }
    const int8_t* weights = task_.weights + panel * task_.panel_bytes;
    const int64_t halves = block.other.rows > 0 && width > 2 ? 2 : 1;
    const int64_t tiles = halves * block.runs * block.run_tiles;
    rows_each_ = (pending_.rows - pending_.row + tiles - 1) / tiles;
    if (block.other.rows == 0) {
      switch (width) {
        case 1:
          Multiply<1, 1>(block, weights, start, start_stride, sums.of[0]);
          break;
        case 2:
          Multiply<1, 2>(block, weights, start, start_stride, sums.of[0]);
          break;
        case 3:
          Multiply<1, 3>(block, weights, start, start_stride, sums.of[0]);
          break;
        default:
          Multiply<1, 4>(block, weights, start, start_stride, sums.of[0]);
      }
    } else {
      for (int half = 0; half < width; half += 2) {
        const int first = half * kPanelOutputs;
        if (half + 1 < width) {
          Multiply<2, 2>(block, weights + half * task_.panel_bytes,
                         start + first, start_stride, sums.of[0] + first);
        } else {
          Multiply<2, 1>(block, weights + half * task_.panel_bytes,
                         start + first, start_stride, sums.of[0] + first);
        }
      }
    }
    WritePending();
    uint8_t* out = static_cast<uint8_t*>(task_.out) +
                   (block.row * task_.row_stride + output) * output_bytes_;
    if (writes_codes_) {
      pending_ = {&sums, 0, block.rows(), output, out};
      return;
    }
    TilePlace place = {};
    place.output = output;
    place.out = out;
    RowTiles<Vectors>::WriteNumbers(task_, place, sums.of[0], block.rows(),
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

  // Sums of one or two tiles of rows with some panels. Writes some pending rows
  // at each tile of k.
  template <int RowTiles, int Panels>
  __attribute__((noinline)) void Multiply(const RowBlock& block,
                                          const int8_t* weights,
                                          const int32_t* start,
                                          int64_t start_stride, int32_t* sums) {
    constexpr int64_t kStride = kQuad * kPanelOutputs * sizeof(int32_t);
    const int64_t other =
        start_stride / static_cast<int64_t>(sizeof(int32_t)) * block.first.rows;
    const int64_t panel_bytes = task_.panel_bytes;
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
    const int64_t weights_step = block.tile_k * kPanelOutputs;
    Pending pending = pending_;
    Soon soon = soon_;
    const int rows_each = rows_each_;
    const Codes codes(task_.view, pending.output, task_.outputs);
    for (int64_t run = 0; run < block.runs; ++run) {
      const uint8_t* a = block.first.base + block.run_offsets[run];
      const uint8_t* b = block.other.base;
      if constexpr (RowTiles > 1) {
        b += block.run_offsets[run];
      }
      for (int64_t k = 0; k < block.run_tiles; ++k) {
        _tile_loadd(4, a, block.first.stride);
        _tile_loadd(6, weights, kTileK);
        _tile_dpbusd(0, 4, 6);
        if constexpr (Panels > 1) {
          _tile_loadd(7, weights + panel_bytes, kTileK);
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
            _tile_loadd(6, weights + 2 * panel_bytes, kTileK);
            _tile_dpbusd(2, 4, 6);
          }
          if constexpr (Panels > 3) {
            _tile_loadd(7, weights + 3 * panel_bytes, kTileK);
            _tile_dpbusd(3, 4, 7);
          }
        }
        a += block.tile_stride;
        b += block.tile_stride;
        weights += weights_step;
        for (int i = 0; i < rows_each && pending.row < pending.rows; ++i) {
          WriteRow(pending, codes);
        }
        soon.Fetch();
      }
    }
    pending_.row = pending.row;
    soon_.next = soon.next;
    _tile_stored(0, sums, kStride);
    if constexpr (Panels > 1) {
      _tile_stored(1, sums + kPanelOutputs, kStride);
    }
    const int other_sums = block.first.rows * kQuad * kPanelOutputs;
    if constexpr (RowTiles > 1) {
      _tile_stored(2, sums + other_sums, kStride);
    } else if constexpr (Panels > 2) {
      _tile_stored(2, sums + 2 * kPanelOutputs, kStride);
    }
    if constexpr (RowTiles > 1 && Panels > 1) {
      _tile_stored(3, sums + other_sums + kPanelOutputs, kStride);
    } else if constexpr (Panels > 3) {
      _tile_stored(3, sums + 3 * kPanelOutputs, kStride);
    }
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
    const Codes codes(task_.view, pending_.output, task_.outputs);
    while (pending_.row < pending_.rows) {
      WriteRow(pending_, codes);
    }
  }

  const RowTask& task_;
  const bool writes_codes_;
  const int64_t output_bytes_;
  const int64_t panels_;
  int64_t copied_tiles_;  // of k, in a row that is copied
  // Of k in a run where it is, if it can be cut to equal tiles.
  bool has_run_tiles_;
  int64_t run_tiles_;
  int64_t tile_k_;
  // Rows up to here are at one distance.
  int64_t stretch_end_ = 0;
  int64_t stretch_ = 0;
  Sums sums_[2];
  int turn_ = 0;
  alignas(64) int32_t start_[kQuad * kPanelOutputs];
  Pending pending_;
  int64_t rows_each_ = 0;
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
