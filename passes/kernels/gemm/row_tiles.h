// Multiplies rows by packed weights, tile by tile, once for all instruction
// sets.
//
// Each function is a template over a class `V` of an instruction set, which
// holds its vectors of accumulators and how they take products. `V` is local to
// the file that includes this, and so is what is made of these templates: see
// row_kernels.h.
//
// A tile is some rows times some panels of outputs, with all sums in registers
// from the first k to the last: so that each weight that is read serves all
// rows and each activation all panels, and sums meet memory as outputs only.
#ifndef PASSES_KERNELS_GEMM_ROW_TILES_H_
#define PASSES_KERNELS_GEMM_ROW_TILES_H_

#include <cstdint>

#include "passes/kernels/gemm/row_kernels.h"
#include "passes/kernels/simd/requantize.h"
#include "passes/kernels/simd/sum_of_bytes.h"
#include "passes/kernels/unroll.h"

namespace ns::kernels {

// PackedMatrix::kPanel and kStep, whose header is not for these files.
constexpr int kPanelOutputs = 16;
constexpr int kStepBytes = 4;
constexpr int kStepWeights = kPanelOutputs * kStepBytes;

// The place of a tile in its matrices.
struct TilePlace {
  const uint8_t* const* rows;  // of the tile
  const int32_t* row_sums;     // of SumRows; null without weight zero points
  const int8_t* weights;
  int64_t output;  // the first
  uint8_t* out;    // of the first row and output
  // Memory that other tiles need soon. The tile fetches as much of it into a
  // cache as half a panel of weights has, or as its own rows have. Null for
  // nothing.
  const int8_t* soon;
};

template <typename V>
struct RowTiles {
  using Ints = typename V::Ints;
  static constexpr int kVectors = kPanelOutputs / V::kFloats;  // of a panel
  static constexpr int kUnrolled = 4;  // steps of k at a time

  static uint32_t LoadStep(const uint8_t* bytes) {
    uint32_t step;
    __builtin_memcpy(&step, bytes, sizeof(step));
    return step;
  }

  // The last activations of a run, 1 to 3, with zeros for the others. Reads
  // those before them where there are any.
  static uint32_t LoadLastStep(const uint8_t* run, int64_t length) {
    const int64_t rest = length % kStepBytes;
    if (length >= kStepBytes) {
      return LoadStep(run + length - kStepBytes) >> (8 * (kStepBytes - rest));
    }
    const uint32_t second = rest > 1 ? run[1] : 0;
    const uint32_t third = rest > 2 ? run[2] : 0;
    return run[0] | second << 8 | third << 16;
  }

  // The compiler must not derive `value` of another register: it would keep an
  // address for each of a loop's loads, more than there are registers.
  template <typename T>
  static void HideFromCompiler(T& value) {
    asm("" : "+r"(value));
  }

  // Adds up the activations of each of the `count` rows from `first` on.
  static void SumRows(const RowTask& task, int64_t first, int64_t count,
                      int32_t* row_sums) {
    for (int64_t row = 0; row < count; ++row) {
      // Unsigned: sums of s32 wrap around.
      uint32_t sum = 0;
      for (int64_t run = 0; run < task.runs; ++run) {
        sum += SumOfBytes<V>(task.rows[first + row] + task.run_offsets[run],
                             task.run_length);
      }
      row_sums[row] = static_cast<int32_t>(sum);
    }
  }

  // Adds the products of four k.
  template <int kRows, int kPanels, typename Step>
  static inline __attribute__((always_inline)) void AddProducts(
      const int8_t* weights, int64_t panel_bytes,
      Ints (&sums)[kRows][kPanels * kVectors], const Step& step) {
    typename V::Weights w[kPanels * kVectors];
    NS_UNROLL
    for (int v = 0; v < kPanels * kVectors; ++v) {
      w[v] = V::LoadWeights(weights + v / kVectors * panel_bytes +
                            v % kVectors * (kStepWeights / kVectors));
    }
    NS_UNROLL
    for (int r = 0; r < kRows; ++r) {
      const typename V::Activations a = V::SpreadActivations(step(r));
      NS_UNROLL
      for (int v = 0; v < kPanels * kVectors; ++v) {
        sums[r][v] = V::AddProducts(sums[r][v], a, w[v]);
      }
    }
  }

  // Adds those of kUnrolled steps of one vector of outputs, row by row: the
  // addresses of so many rows are not all in registers, and are read but once.
  template <int kRows, typename Row>
  static inline __attribute__((always_inline)) void AddProductsByRow(
      const int8_t* weights, int64_t k, Ints (&sums)[kRows][1],
      const Row& row) {
    typename V::Weights w[kUnrolled];
    NS_UNROLL
    for (int step = 0; step < kUnrolled; ++step) {
      w[step] = V::LoadWeights(weights + step * kStepWeights);
    }
    NS_UNROLL
    for (int r = 0; r < kRows; ++r) {
      NS_UNROLL
      for (int step = 0; step < kUnrolled; ++step) {
        const typename V::Activations a =
            V::SpreadActivations(LoadStep(row(r) + k + step * kStepBytes));
        sums[r][0] = V::AddProducts(sums[r][0], a, w[step]);
      }
    }
  }

  // Computes and writes the outputs of `kRows` rows and `kPanels` panels at
  // `place`; those that a row of `task` does not have are left out.
  template <int kRows, int kPanels>
  static __attribute__((noinline)) void Tile(const RowTask& task,
                                             const TilePlace& place) {
    constexpr bool kByRow = kPanels * kVectors == 1;
    Ints sums[kRows][kPanels * kVectors];
    NS_UNROLL
    for (int v = 0; v < kPanels * kVectors; ++v) {
      const int64_t output = place.output + v * V::kFloats;
      const int64_t rest = task.outputs - output;
      const Ints start = rest >= V::kFloats ? V::Load(task.view.start + output)
                                            : V::Load(task.view.start + output,
                                                      V::First(rest));
      if (place.row_sums == nullptr) {
        NS_UNROLL
        for (int r = 0; r < kRows; ++r) {
          sums[r][v] = start;
        }
      } else {
        const Ints zero_point =
            V::Load(task.view.weight_zero_points + output, V::First(rest));
        NS_UNROLL
        for (int r = 0; r < kRows; ++r) {
          sums[r][v] = V::Subtract(
              start, V::Multiply(V::SetInts(place.row_sums[r]), zero_point));
        }
      }
    }
    const int8_t* weights = place.weights;
    // A line for every two steps: the processor has room for a few lines that
    // are under way, and what the products wait for needs some of it. Where
    // there is nothing to fetch, a line that is here.
    const bool fetches = place.soon != nullptr;
    const int8_t* soon =
        fetches ? place.soon : reinterpret_cast<const int8_t*>(place.rows);
    // With one vector of outputs, rows are short work: all of the next ones are
    // fetched, and into the L1 cache.
    constexpr int kSoonLines = kByRow && kRows > 8 ? kRows / 4 : 2;
    const int64_t soon_step = fetches ? kSoonLines * kStepWeights : 0;
    const int64_t whole = task.run_length / kStepBytes * kStepBytes;
    for (int64_t run = 0; run < task.runs; ++run) {
      const int64_t run_offset = task.run_offsets[run];
      const uint8_t* const* row_table = place.rows;
      const uint8_t* rows[kByRow ? 1 : kRows];
      if constexpr (!kByRow) {
        NS_UNROLL
        for (int r = 0; r < kRows; ++r) {
          rows[r] = row_table[r] + run_offset;
        }
      }
      const auto row = [&](int r) {
        return kByRow ? row_table[r] + run_offset : rows[kByRow ? 0 : r];
      };
      int64_t k = 0;
      NS_NO_UNROLL
      for (; k + kUnrolled * kStepBytes <= whole; k += kUnrolled * kStepBytes) {
        HideFromCompiler(k);
        HideFromCompiler(weights);
        if constexpr (kByRow) {
          HideFromCompiler(row_table);
          NS_UNROLL
          for (int line = 0; line < kSoonLines; ++line) {
            __builtin_prefetch(soon + line * kStepWeights, 0, 3);
          }
          AddProductsByRow<kRows>(weights, k, sums, row);
        } else {
          NS_UNROLL
          for (int step = 0; step < kUnrolled; ++step) {
            if (step % 2 == 0) {
              __builtin_prefetch(soon + step / 2 * kStepWeights, 0, 2);
            }
            AddProducts<kRows, kPanels>(
                weights + step * kStepWeights, task.panel_bytes, sums,
                [&](int r) {
                  return LoadStep(row(r) + k + step * kStepBytes);
                });
          }
        }
        weights += kUnrolled * kStepWeights;
        soon += soon_step;
      }
      NS_NO_UNROLL
      for (; k < whole; k += kStepBytes) {
        AddProducts<kRows, kPanels>(
            weights, task.panel_bytes, sums,
            [&](int r) { return LoadStep(row(r) + k); });
        weights += kStepWeights;
      }
      if (whole < task.run_length) {
        AddProducts<kRows, kPanels>(
            weights, task.panel_bytes, sums,
            [&](int r) { return LoadLastStep(row(r), task.run_length); });
        weights += kStepWeights;
      }
    }
    WriteTile<kRows, kPanels>(task, place, sums);
  }

  template <int kRows, int kPanels>
  static inline __attribute__((always_inline)) void WriteTile(
      const RowTask& task, const TilePlace& place,
      const Ints (&sums)[kRows][kPanels * kVectors]) {
    if (task.view.type == OutputType::kU8 ||
        task.view.type == OutputType::kS8) {
      WriteBytes<kRows, kPanels, 0>(task, place, sums);
      return;
    }
    // Rarely asked for, or worth little beside the sums: not worth the code of
    // doing it in registers.
    int32_t stored[kRows][kPanels * kPanelOutputs];
    NS_UNROLL
    for (int r = 0; r < kRows; ++r) {
      NS_UNROLL
      for (int v = 0; v < kPanels * kVectors; ++v) {
        V::Store(stored[r] + v * V::kFloats, sums[r][v]);
      }
    }
    WriteNumbers(task, place, stored[0], kRows, kPanels);
  }

  // The panels from panel `kDone` on, at most four at a time.
  template <int kRows, int kPanels, int kDone>
  static inline __attribute__((always_inline)) void WriteBytes(
      const RowTask& task, const TilePlace& place,
      const Ints (&sums)[kRows][kPanels * kVectors]) {
    constexpr int kNow = kPanels - kDone < 4 ? kPanels - kDone : 4;
    using Panels = typename V::template QuantizedPanels<kNow>;
    const Panels outputs(task.view, place.output + kDone * kPanelOutputs,
                         task.outputs);
    uint8_t* const out = place.out + kDone * kPanelOutputs;
    constexpr int kTogether = Panels::kRows > 1 ? kRows / Panels::kRows : 0;
    if constexpr (kTogether > 0) {
      NS_UNROLL
      for (int i = 0; i < kTogether; ++i) {
        const Ints* rows[Panels::kRows];
        NS_UNROLL
        for (int r = 0; r < Panels::kRows; ++r) {
          rows[r] = sums[i * Panels::kRows + r] + kDone * kVectors;
        }
        outputs.WriteRows(rows, out + i * Panels::kRows * task.row_stride,
                          task.row_stride);
      }
    }
    NS_UNROLL
    for (int r = kTogether * Panels::kRows; r < kRows; ++r) {
      outputs.Write(sums[r] + kDone * kVectors, out + r * task.row_stride);
    }
    if constexpr (kDone + kNow < kPanels) {
      WriteBytes<kRows, kPanels, kDone + kNow>(task, place, sums);
    }
  }

  // Outputs of types kF32 and kS32, from sums[row_count][panels * 16].
  static __attribute__((noinline)) void WriteNumbers(const RowTask& task,
                                                     const TilePlace& place,
                                                     const int32_t* sums,
                                                     int row_count,
                                                     int panels) {
    const OutputView& view = task.view;
    const auto min = V::SetFloats(view.min);
    const auto max = V::SetFloats(view.max);
    for (int v = 0; v < panels * kVectors; ++v) {
      const int64_t output = place.output + v * V::kFloats;
      const auto mask = V::First(task.outputs - output);
      const auto addend = V::Load(view.addend + output, mask);
      const auto multiplier = V::Load(view.multiplier + output, mask);
      for (int r = 0; r < row_count; ++r) {
        const Ints sum =
            V::Load(sums + r * panels * kPanelOutputs + v * V::kFloats);
        uint8_t* out = place.out + 4 * (r * task.row_stride + v * V::kFloats);
        if (view.type == OutputType::kF32) {
          V::Store(reinterpret_cast<float*>(out), mask,
                   DequantizeSums<V>(sum, addend, multiplier, min, max));
        } else {
          V::Store(reinterpret_cast<int32_t*>(out), mask, sum);
        }
      }
    }
  }
};

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_GEMM_ROW_TILES_H_
