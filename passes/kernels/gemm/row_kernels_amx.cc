// GEMM of rows in tiles of AMX. Sums leave tiles by way of memory, and become
// quantized values while the tiles work on the next ones: the two take about as
// long.
#include <immintrin.h>

#include "passes/kernels/gemm/amx_row_blocks.h"
#include "passes/kernels/gemm/amx_tiles.h"
#include "passes/kernels/gemm/row_kernels.h"
#include "passes/kernels/gemm/row_tiles.h"
#include "passes/kernels/gemm/row_vectors_avx512.h"

namespace ns::kernels {
namespace {

struct NoProducts {};
using Vectors = RowVectorsAvx512<NoProducts>;

// As many weights stay in the L2 cache while all rows meet them.
constexpr int64_t kGroupBytes = 640 << 10;
// More do not stay in the L1 cache until the next rows meet them.
constexpr int64_t kStreamedBytes = 24 << 10;
// Rows are fetched so far ahead of their use.
constexpr int64_t kAheadBytes = 8 << 10;
// Up to so many tiles of k, the L1 cache has room for a second quad of sums.
constexpr int64_t kFewTiles = 6;

// Sums of up to four panels that are to become quantized values.
struct Pending {
  const AmxSums* sums = nullptr;
  int row = 0;
  int rows = 0;
  int panels = kQuad;
  int64_t output = 0;
  uint8_t* out = nullptr;

  bool IsEmpty() const { return row == rows; }
};

class AmxRows {
 public:
  explicit AmxRows(const RowTask& task)
      : task_(task),
        writes_bytes_(task.view.type == OutputType::kU8 ||
                      task.view.type == OutputType::kS8),
        output_bytes_(writes_bytes_ ? 1 : 4),
        panels_((task.outputs + kPanelOutputs - 1) / kPanelOutputs),
        row_blocks_(task) {}

  void Run() {
    for (int64_t row = 0; row < task_.row_count;) {
      row = RunBlocks(row);
    }
    // So that nothing of tiles is to be saved when threads change.
    _tile_release();
  }

 private:
  // Rows from `first` on, as many as blocks and scratch suffice for. The row
  // behind them.
  int64_t RunBlocks(int64_t first) {
    constexpr int kMostBlocks = kMostScratchRows / kBlockRows;
    RowBlock blocks[kMostBlocks];
    int block_count = 0;
    int64_t copied_rows = 0;
    int64_t row = first;
    do {
      RowBlock& block = blocks[block_count++];
      uint8_t* const scratch =
          task_.scratch + copied_rows * row_blocks_.CopiedBytes();
      copied_rows += row_blocks_.Next(row, scratch, block) ? kBlockRows : 0;
      row += block.rows();
    } while (row < task_.row_count && block_count < kMostBlocks &&
             copied_rows + kBlockRows <= task_.scratch_rows);
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
      const int64_t soon_end = end + group < panels_ ? end + group : panels_;
      soon_weights_ = {task_.weights + end * task_.panel_bytes,
                       task_.weights + soon_end * task_.panel_bytes,
                       2 * kTileBytes / block_count};
      streams_ = (end - panel) * task_.panel_bytes > kStreamedBytes;
      for (int i = 0; i < block_count; ++i) {
        const RowBlock& block = blocks[i];
        if (configured == nullptr || !HaveSameConfig(block, *configured)) {
          ConfigureTiles(block);
          configured = &block;
        }
        soon_rows_ = RowsBehind(block, end - panel);
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

  // Rows of a block to come, most likely, where they are one stretch of memory:
  // tiles are read in strides that a processor does not foresee. Fetching what
  // is no memory does nothing.
  Soon RowsBehind(const RowBlock& block, int64_t panels) const {
    const int64_t stride = block.first.stride;
    if (!task_.comes_from_far || task_.runs != 1 ||
        stride != task_.run_length ||
        block.first.base != task_.rows[block.row]) {
      return {};
    }
    const int64_t bytes = block.rows() * stride;
    const int64_t ahead = (kAheadBytes + bytes - 1) / bytes * bytes;
    const auto* const next =
        reinterpret_cast<const int8_t*>(block.first.base) + ahead;
    // Two panels of two tiles of rows are multiplied at a time, or four of one.
    const int64_t width = block.other.rows > 0 ? kQuad / 2 : kQuad;
    const int64_t chances = (panels + width - 1) / width * block.tiles();
    return {next, next + bytes, bytes / chances + 1};
  }

  // The outputs of `width` panels from `panel` on, for the rows of `block`.
  void RunQuad(const RowBlock& block, int64_t panel, int width,
               const int32_t* row_sums) {
    // With one quad of sums only, it is to be written before the first half of
    // the next is known.
    alternates_ = block.tiles() <= kFewTiles;
    const int halves = block.other.rows > 0 && width > 2 ? 2 : 1;
    if (alternates_) {
      turn_ = 1 - turn_;
    } else if (row_sums != nullptr) {
      WritePending();
    }
    constexpr int64_t kStores = 4;
    const int64_t chances =
        alternates_ ? halves * (block.tiles() + kStores) : block.tiles();
    rows_each_ = (pending_.rows - pending_.row + chances - 1) / chances;
    AmxSums& sums = sums_[turn_];
    const int64_t output = panel * kPanelOutputs;
    AmxPlace place = {task_.weights + panel * task_.panel_bytes,
                      task_.panel_bytes, sums.of[0], sizeof(sums.of[0]),
                      sums.of[0]};
    if (row_sums == nullptr) {
      place.start = start_;
      place.start_stride = 0;
      StoreStart(output, width, nullptr, 1, start_);
    } else {
      StoreStart(output, width, row_sums, block.rows(), sums.of[0]);
    }
    uint8_t* out = static_cast<uint8_t*>(task_.out) +
                   (block.row * task_.row_stride + output) * output_bytes_;
    if (task_.comes_from_far) {
      const int64_t tiles = halves * block.tiles();
      soon_out_ = {out, task_.row_stride * output_bytes_, block.rows(),
                   (block.rows() + tiles - 1) / tiles};
    }
    if (pending_.panels > 2) {
      Multiply<kQuad>(block, place, width);
    } else {
      Multiply<2>(block, place, width);
    }
    WritePending();
    if (writes_bytes_) {
      pending_ = {&sums, 0, block.rows(), width, output, out};
      return;
    }
    TilePlace numbers = {};
    numbers.output = output;
    numbers.out = out;
    RowTiles<Vectors>::WriteNumbers(task_, numbers, sums.of[0], block.rows(),
                                    kQuad);
  }

  // Stores what the sums of `count` rows start with.
  void StoreStart(int64_t output, int width, const int32_t* row_sums, int count,
                  int32_t* to) const {
    for (int p = 0; p < width; ++p) {
      const int64_t first = output + p * kPanelOutputs;
      const auto mask = Vectors::First(task_.outputs - first);
      const __m512i start = Vectors::Load(task_.view.start + first, mask);
      if (row_sums == nullptr) {
        Vectors::Store(to + p * kPanelOutputs, start);
        continue;
      }
      const __m512i zero_point =
          Vectors::Load(task_.view.weight_zero_points + first, mask);
      for (int row = 0; row < count; ++row) {
        Vectors::Store(
            to + row * kQuadOutputs + p * kPanelOutputs,
            Vectors::Subtract(start,
                              Vectors::Multiply(Vectors::SetInts(row_sums[row]),
                                                zero_point)));
      }
    }
  }

  // `kPendingPanels` are those that pending sums have at most.
  template <int kPendingPanels>
  void Multiply(const RowBlock& block, AmxPlace place, int width) {
    if (streams_) {
      Multiply<kPendingPanels, true>(block, place, width);
    } else {
      Multiply<kPendingPanels, false>(block, place, width);
    }
  }

  template <int kPendingPanels, bool kStreams>
  void Multiply(const RowBlock& block, AmxPlace place, int width) {
    if (block.other.rows > 0) {
      for (; width > 0; width -= 2) {
        if (width == 1) {
          MultiplyTiles<AmxTiles<2, 1, kStreams>, kPendingPanels>(block, place);
        } else {
          MultiplyTiles<AmxTiles<2, 2, kStreams>, kPendingPanels>(block, place);
        }
        place.weights += 2 * task_.panel_bytes;
        place.start += 2 * kPanelOutputs;
        place.sums += 2 * kPanelOutputs;
      }
      return;
    }
    switch (width) {
      case 1:
        return MultiplyTiles<AmxTiles<1, 1, kStreams>, kPendingPanels>(block,
                                                                       place);
      case 2:
        return MultiplyTiles<AmxTiles<1, 2, kStreams>, kPendingPanels>(block,
                                                                       place);
      case 3:
        return MultiplyTiles<AmxTiles<1, 3, kStreams>, kPendingPanels>(block,
                                                                       place);
      default:
        return MultiplyTiles<AmxTiles<1, 4, kStreams>, kPendingPanels>(block,
                                                                       place);
    }
  }

  // Multiplies, and on the way writes some pending rows at each tile of k and,
  // if it may, at each tile of sums.
  template <typename Tiles, int kPendingPanels>
  __attribute__((noinline)) void MultiplyTiles(const RowBlock& block,
                                               const AmxPlace& place) {
    Tiles::Start(block, place);
    Pending pending = pending_;
    Soon soon_weights = soon_weights_;
    Soon soon_rows = soon_rows_;
    SoonOut soon_out = soon_out_;
    const int64_t rows_each = rows_each_;
    const bool alternates = alternates_;
    const Vectors::QuantizedPanels<kPendingPanels> quantized(
        task_.view, pending.output, task_.outputs);
    const auto write_rows = [&] {
      for (int64_t i = 0; i < rows_each && !pending.IsEmpty(); ++i) {
        WriteRow(quantized, pending);
      }
    };
    Tiles::Add(block, place, [&] {
      write_rows();
      soon_weights.Fetch();
      soon_rows.Fetch();
      soon_out.Fetch();
    });
    while (!alternates && !pending.IsEmpty()) {
      WriteRow(quantized, pending);
    }
    // Nothing is left to write here unless sums alternate.
    Tiles::Store(block, place.sums, write_rows);
    pending_.row = pending.row;
    soon_weights_.next = soon_weights.next;
    soon_rows_.next = soon_rows.next;
    soon_out_ = soon_out;
  }

  template <int kPanels>
  inline __attribute__((always_inline)) void WriteRow(
      const Vectors::QuantizedPanels<kPanels>& quantized,
      Pending& pending) const {
    const int32_t* from = pending.sums->of[pending.row];
    __m512i sums[kPanels];
    for (int p = 0; p < kPanels; ++p) {
      sums[p] = _mm512_load_si512(from + p * kPanelOutputs);
    }
    quantized.Write(sums, pending.out + pending.row * task_.row_stride);
    ++pending.row;
  }

  void WritePending() {
    if (pending_.IsEmpty()) {
      return;
    }
    const Vectors::QuantizedPanels<kQuad> quantized(task_.view, pending_.output,
                                                    task_.outputs);
    while (!pending_.IsEmpty()) {
      WriteRow(quantized, pending_);
    }
  }

  const RowTask& task_;
  const bool writes_bytes_;
  const int64_t output_bytes_;
  const int64_t panels_;
  RowBlocks row_blocks_;
  AmxSums sums_[2];
  alignas(64) int32_t start_[kQuadOutputs];
  // The state of the quad that is worked on.
  int turn_ = 0;
  bool alternates_ = false;
  bool streams_ = false;
  int64_t rows_each_ = 0;
  Pending pending_;
  Soon soon_weights_;
  Soon soon_rows_;
  SoonOut soon_out_;
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
