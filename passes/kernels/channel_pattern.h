// Arranges the qparams of channels in the order of a tensor's elements, for
// kernels that go over them in vectors.
#ifndef PASSES_KERNELS_CHANNEL_PATTERN_H_
#define PASSES_KERNELS_CHANNEL_PATTERN_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "passes/kernels/channel_qparams.h"
#include "passes/kernels/parallel.h"
#include "passes/kernels/qparams.h"

namespace ns::kernels {

// How many of `rows` rows of `row` elements, at least one of each, make a
// pattern: kernels then have enough to do.
inline int64_t RowsOfPattern(int64_t rows, int64_t row) {
  constexpr int64_t kEnough = 512;
  return std::min(rows, std::max<int64_t>(1, kEnough / row));
}

// A qparam for each element of a row of [channels][inner], repeated for
// RowsOfPattern rows. Element i of the tensor has the qparams at i % size().
struct ChannelPattern {
  std::vector<float> scales;
  std::vector<int32_t> zero_points;

  int64_t size() const { return static_cast<int64_t>(scales.size()); }
};
ChannelPattern MakeChannelPattern(ChannelShape shape, ChannelQParams qparams);

// Elements of a channel are a run where at least so many lie side by side.
inline constexpr int64_t kShortestRun = 32;
// About so many elements are worth another thread.
inline constexpr int64_t kChannelGrain = 32768;

// Calls run(begin, QParams) for each `inner` elements of one channel.
template <typename Run>
void ForRuns(ChannelShape shape, ChannelQParams qparams, Parallel parallel,
             const Run& run) {
  const int64_t channels = static_cast<int64_t>(qparams.scales.size());
  parallel(shape.rows * channels, kChannelGrain / shape.inner + 1,
           [&](int64_t begin, int64_t end) {
             for (int64_t i = begin; i < end; ++i) {
               const int64_t channel = i % channels;
               run(i * shape.inner, QParams{qparams.scales[channel],
                                            qparams.zero_points[channel]});
             }
           });
}

// Calls piece(begin, count) for pieces of all `count` elements that begin where
// a pattern of `size` elements does and are not longer.
template <typename Piece>
void ForPatterns(int64_t count, int64_t size, Parallel parallel,
                 const Piece& piece) {
  if (size == 0) {
    return;
  }
  parallel((count + size - 1) / size, kChannelGrain / size + 1,
           [&](int64_t begin, int64_t end) {
             for (int64_t i = begin; i < end; ++i) {
               piece(i * size, std::min(size, count - i * size));
             }
           });
}

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_CHANNEL_PATTERN_H_
