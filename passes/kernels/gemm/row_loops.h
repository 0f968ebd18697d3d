// Chooses the tiles that a GEMM of rows is made of, and their order.
//
// It consists of templates over a class of vectors, as row_tiles.h does. The
// class has one more constant: kMaxRows[panels], for 0 to kMostPanels panels.
// It is the most rows, up to kMostRows, of a tile of so many panels whose sums
// fit in the registers, or 0 where there is no such tile. There is one of a
// single panel.
#ifndef PASSES_KERNELS_GEMM_ROW_LOOPS_H_
#define PASSES_KERNELS_GEMM_ROW_LOOPS_H_

#include <cstdint>

#include "passes/kernels/gemm/row_kernels.h"
#include "passes/kernels/gemm/row_tiles.h"

namespace ns::kernels {

template <typename V>
struct RowLoops {
  using Tiles = RowTiles<V>;
  using TileFunction = void (*)(const RowTask&, const TilePlace&);

  static constexpr int kMostPanels = 8;
  static constexpr int kMostRows = 24;

  // Rows are worked on in blocks, whose activations stay in the L2 cache while
  // all weights are read: at most so many rows, and at most so many bytes
  // unless these are fewer than 24 rows.
  static constexpr int64_t kBlockRows = 192;
  static constexpr int64_t kBlockBytes = 384 << 10;

  struct Table {
    TileFunction of[kMostPanels + 1][kMostRows + 1];
  };

  template <int kRows, int kPanels>
  static constexpr void Fill(Table& table) {
    if constexpr (kRows > kMostRows) {
      Fill<1, kPanels + 1>(table);
    } else if constexpr (kPanels <= kMostPanels) {
      if constexpr (kRows <= V::kMaxRows[kPanels]) {
        table.of[kPanels][kRows] = Tiles::template Tile<kRows, kPanels>;
      }
      Fill<kRows + 1, kPanels>(table);
    }
  }

  static constexpr Table MakeTable() {
    Table table = {};
    Fill<1, 1>(table);
    return table;
  }
  static constexpr Table kTable = MakeTable();

  // Estimates how long a tile takes for each step of k, in quarters of the time
  // of one product, of a row and a panel. It is the time of all products, or of
  // kLeast where there are fewer, since a product has to wait for the one
  // before it in the same sum. To load the weights of a panel takes one more,
  // and to load the activations of a row a quarter.
  static int64_t TileCost(int64_t rows, int64_t panels) {
    constexpr int64_t kLeast = 10;
    const int64_t products = rows * panels;
    return 4 * (products > kLeast ? products : kLeast) + 4 * panels + rows;
  }

  // The cost of `rows` times `panels` in tiles of `width` panels at most.
  static int64_t Cost(int64_t rows, int64_t panels, int width) {
    int64_t cost = 0;
    for (; width > 0; --width) {
      const int64_t most = V::kMaxRows[width];
      if (most == 0 || panels < width) {
        continue;
      }
      const int64_t tiles = (rows + most - 1) / most;
      const int64_t small = rows / tiles;
      const int64_t bigger = rows % tiles;
      cost += panels / width *
              ((tiles - bigger) * TileCost(small, width) +
               bigger * TileCost(small + 1, width));
      panels %= width;
    }
    return cost;
  }

  static int BestWidth(int64_t rows, int64_t panels) {
    int best = 1;
    int64_t least = INT64_MAX;
    for (int width = kMostPanels; width > 0; --width) {
      if (V::kMaxRows[width] == 0 || panels < width) {
        continue;
      }
      const int64_t cost = Cost(rows, panels, width);
      if (cost < least) {
        least = cost;
        best = width;
      }
    }
    return best;
  }

  // Computes all outputs of `count` rows from `first` on, in tiles of `width`
  // panels or less.
  static void Block(const RowTask& task, int64_t first, int64_t count,
                    int width) {
    int32_t row_sums[kBlockRows];
    const bool needs_row_sums = task.view.weight_zero_points != nullptr;
    if (needs_row_sums) {
      Tiles::SumRows(task, first, count, row_sums);
    }
    const int64_t output_bytes =
        task.view.type == OutputType::kU8 || task.view.type == OutputType::kS8
            ? 1
            : 4;
    uint8_t* const out = static_cast<uint8_t*>(task.out) +
                         first * task.row_stride * output_bytes;
    const int64_t panels = (task.outputs + kPanelOutputs - 1) / kPanelOutputs;
    for (int64_t panel = 0; panel < panels; panel += width) {
      while (V::kMaxRows[width] == 0 || width > panels - panel) {
        --width;
      }
      const int64_t most = V::kMaxRows[width];
      const int64_t tiles = (count + most - 1) / most;
      // Rows of nearly equal tiles: the first ones have one more.
      const int64_t least = count / tiles;
      const int64_t bigger = count % tiles;
      const int64_t output = panel * kPanelOutputs;
      TilePlace place;
      place.output = output;
      place.weights = task.weights + panel * task.panel_bytes;
      int64_t row = 0;
      for (int64_t tile = 0; tile < tiles; ++tile) {
        const int64_t rows = least + (tile < bigger ? 1 : 0);
        place.rows = task.rows + first + row;
        place.row_sums = needs_row_sums ? row_sums + row : nullptr;
        place.out = out + (row * task.row_stride + output) * output_bytes;
        const int64_t next = first + row + rows;
        if (tiles > 1 && tile < 2 * width && panel + width < panels) {
          // The next tiles' weights, half a panel for each of these. A single
          // tile reads its weights in order, which processors foresee.
          place.soon = place.weights + width * task.panel_bytes +
                       tile * task.panel_bytes / 2;
        } else if (panel == 0 && next < task.row_count) {
          // The next rows, which are near these as a rule.
          place.soon = reinterpret_cast<const int8_t*>(task.rows[next]);
        } else {
          place.soon = nullptr;
        }
        kTable.of[width][rows](task, place);
        row += rows;
      }
    }
  }

  // A RowKernel. `task` has at least one row and one output.
  static void Run(const RowTask& task) {
    const int64_t row_bytes = task.runs * task.run_length;
    int64_t most = row_bytes == 0 ? kBlockRows : kBlockBytes / row_bytes;
    most = most > kBlockRows ? kBlockRows : most < 24 ? 24 : most;
    const int64_t blocks = (task.row_count + most - 1) / most;
    // Blocks differ by a row at most.
    const int width =
        BestWidth((task.row_count + blocks - 1) / blocks,
                  (task.outputs + kPanelOutputs - 1) / kPanelOutputs);
    int64_t row = 0;
    for (int64_t block = 0; block < blocks; ++block) {
      const int64_t rows =
          (task.row_count - row + blocks - block - 1) / (blocks - block);
      Block(task, row, rows, width);
      row += rows;
    }
  }
};

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_GEMM_ROW_LOOPS_H_
