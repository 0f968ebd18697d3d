// Cuts the rows of a GEMM into blocks of two tiles of AMX.
//
// It is for the source of that instruction set only, as row_tiles.h says.
#ifndef PASSES_KERNELS_GEMM_AMX_ROW_BLOCKS_H_
#define PASSES_KERNELS_GEMM_AMX_ROW_BLOCKS_H_

#include <immintrin.h>

#include <cstdint>

#include "passes/kernels/gemm/row_kernels.h"
#include "passes/kernels/gemm/row_tiles.h"

namespace ns::kernels {
namespace {

constexpr int kTileRows = 16;
constexpr int kTileK = 64;  // activations of a row
constexpr int kTileBytes = kTileRows * kTileK;
constexpr int kBlockRows = 2 * kTileRows;

// Up to 16 rows that begin `stride` bytes from each other.
struct RowTile {
  const uint8_t* base = nullptr;
  int64_t stride = 0;
  int rows = 0;
};

// A block of up to 32 rows, in one or two tiles. Along k, tile `tile` of run
// `run` of a RowTile is at
//
//   base + run_offsets[run] + tile * tile_stride
struct RowBlock {
  int64_t row;  // the first
  RowTile first;
  RowTile other;  // the rows behind `first`; may have none
  int64_t runs;
  const int64_t* run_offsets;
  int64_t run_tiles;    // tiles of k in a run
  int64_t tile_k;       // activations of a row in a tile, a multiple of 4
  int64_t tile_stride;  // bytes from one tile of a run to the next

  int rows() const { return first.rows + other.rows; }
  int64_t tiles() const { return runs * run_tiles; }
};

// Cuts the rows of a task into blocks, one after the other. A block refers to
// the activations of the task where rows begin at equal distances, runs of k
// divide into equal tiles, and these tiles are nearly full. Otherwise it refers
// to a copy, in tiles of 64 activations of a row.
class RowBlocks {
 public:
  explicit RowBlocks(const RowTask& task)
      : task_(task),
        panels_((task.outputs + kPanelOutputs - 1) / kPanelOutputs) {
    const int64_t run_steps = (task.run_length + kStepBytes - 1) / kStepBytes;
    copied_tiles_ = (task.runs * run_steps * kStepBytes + kTileK - 1) / kTileK;
    run_tiles_ = (task.run_length + kTileK - 1) / kTileK;
    while (run_steps % run_tiles_ != 0) {
      ++run_tiles_;
    }
    // Short tiles take as long as others, once for each panel; a copy is made
    // once.
    constexpr int64_t kPanelsOfCopy = 5;
    const int64_t tiles = task.runs * run_tiles_;
    has_run_tiles_ = task.run_length % kStepBytes == 0 &&
                     (tiles - copied_tiles_) * panels_ <= tiles * kPanelsOfCopy;
  }

  // Sets `block` to the next rows, up to 32, from `row` on, which must be the
  // row behind the block before. Returns whether it has copied them to
  // `scratch`: 32 * CopiedBytes() bytes, 64-byte aligned.
  bool Next(int64_t row, uint8_t* scratch, RowBlock& block) {
    const bool copies = !Locate(row, block);
    if (copies) {
      Copy(row, scratch, block);
    }
    return copies;
  }

  // Bytes of a row that is copied.
  int64_t CopiedBytes() const { return copied_tiles_ * kTileK; }

 private:
  bool Locate(int64_t row, RowBlock& block) {
    if (!has_run_tiles_) {
      return false;
    }
    block.row = row;
    block.first = FindTile(row);
    if (!IsWorthLocating(block.first, row)) {
      return false;
    }
    block.other = {block.first.base, 0, 0};
    row += block.first.rows;
    if (row < task_.row_count) {
      const RowTile other = FindTile(row);
      if (IsWorthLocating(other, row)) {
        block.other = other;
      }
    }
    block.runs = task_.runs;
    block.run_offsets = task_.run_offsets;
    block.run_tiles = run_tiles_;
    block.tile_k = task_.run_length / run_tiles_;
    block.tile_stride = block.tile_k;
    return true;
  }

  // A tile takes as long as one of 13 rows at least: a product waits for the
  // last one. The fewer panels, the more a copy counts.
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

  void Copy(int64_t row, uint8_t* scratch, RowBlock& block) const {
    static constexpr int64_t kNoOffset = 0;
    const int64_t left = task_.row_count - row;
    const int count = static_cast<int>(left < kBlockRows ? left : kBlockRows);
    const int first = count < kTileRows ? count : kTileRows;
    uint8_t* const other = scratch + copied_tiles_ * kTileBytes;
    block.row = row;
    block.first = {scratch, kTileK, first};
    block.other = {other, kTileK, count - first};
    block.runs = 1;
    block.run_offsets = &kNoOffset;
    block.run_tiles = copied_tiles_;
    block.tile_k = kTileK;
    block.tile_stride = kTileBytes;
    for (int i = 0; i < count; ++i) {
      CopyRow(task_.rows[row + i],
              (i < first ? scratch : other) + i % kTileRows * kTileK);
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
        const __mmask64 bytes = ~uint64_t{0} >> (kTileK - count);
        _mm512_mask_storeu_epi8(
            to + position / kTileK * kTileBytes + position % kTileK, bytes,
            _mm512_maskz_loadu_epi8(bytes, from));
        from += count;
        position += count;
        left -= count;
      }
    }
  }

  const RowTask& task_;
  const int64_t panels_;
  int64_t copied_tiles_;  // of k
  bool has_run_tiles_;
  int64_t run_tiles_;
  // Rows up to `stretch_end_` are at one distance.
  int64_t stretch_end_ = 0;
  int64_t stretch_ = 0;
};

}  // namespace
}  // namespace ns::kernels

#endif  // PASSES_KERNELS_GEMM_AMX_ROW_BLOCKS_H_
