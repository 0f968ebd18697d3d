#include "passes/kernels/pooling/pooling.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "passes/kernels/isa.h"
#include "passes/kernels/pooling/average_pool_kernels.h"
#include "passes/kernels/pooling/max_pool_kernels.h"

namespace ns::kernels {
namespace {

constexpr IsaTable<const MaxPoolKernels*> kMaxPoolKernels = {
    {Isa::kAvx2, &kAvx2MaxPool},
    {Isa::kAvx512, &kAvx512MaxPool},
};
constexpr IsaTable<const AveragePoolKernels*> kAveragePoolKernels = {
    {Isa::kAvx2, &kAvx2AveragePool},
    {Isa::kAvx512, &kAvx512AveragePool},
};

// The inputs that an output sees in one dimension, `dilation` apart.
struct Extent {
  int64_t first;
  int64_t count;
};

// The extents of each output, in each dimension.
using Extents = std::array<std::vector<Extent>, 3>;

int64_t CeilDivide(int64_t a, int64_t b) { return (a + b - 1) / b; }

Extents WindowExtents(const PoolWindow& window, const Dims& dilation,
                      const Dims& size, const Dims& out_size) {
  Extents extents;
  for (int dim = 0; dim < 3; ++dim) {
    for (int64_t o = 0; o < out_size[dim]; ++o) {
      const int64_t start = o * window.stride[dim] - window.padding[dim];
      const int64_t begin =
          CeilDivide(std::max<int64_t>(-start, 0), dilation[dim]);
      const int64_t end = std::min(
          window.kernel[dim],
          CeilDivide(std::max<int64_t>(size[dim] - start, 0), dilation[dim]));
      extents[dim].push_back(
          {start + begin * dilation[dim], std::max<int64_t>(end - begin, 0)});
    }
  }
  return extents;
}

Extents AdaptiveExtents(const Dims& size, const Dims& out_size) {
  Extents extents;
  for (int dim = 0; dim < 3; ++dim) {
    const auto outputs = static_cast<float>(out_size[dim]);
    for (int64_t o = 0; o < out_size[dim]; ++o) {
      // Above 2^24, floats may round out of the input.
      const auto first =
          std::min(static_cast<int64_t>(
                       std::floor(static_cast<float>(o * size[dim]) / outputs)),
                   size[dim]);
      const auto end = std::min(
          static_cast<int64_t>(
              std::ceil(static_cast<float>((o + 1) * size[dim]) / outputs)),
          size[dim]);
      extents[dim].push_back({first, std::max<int64_t>(end - first, 0)});
    }
  }
  return extents;
}

// The pixels of one row that outputs see, and how they lie.
struct Columns {
  std::vector<PoolSpan> spans;
  int64_t step;
  int64_t channels;
  int64_t seen = 0;  // all spans' counts
  // The bytes of a row that some output sees.
  int64_t begin = 0;
  int64_t end = 0;
};

Columns ColumnsOf(const PoolInput& input, const std::vector<Extent>& extents,
                  int64_t dilation) {
  Columns columns;
  columns.step = dilation * input.channels;
  columns.channels = input.channels;
  for (const Extent& extent : extents) {
    if (extent.count == 0) {
      columns.spans.push_back({0, 0});
      continue;
    }
    const int64_t begin = extent.first * input.channels;
    const int64_t end =
        begin + (extent.count - 1) * columns.step + input.channels;
    columns.spans.push_back({begin, extent.count});
    columns.begin = columns.seen == 0 ? begin : std::min(columns.begin, begin);
    columns.seen += extent.count;
    columns.end = std::max(columns.end, end);
  }
  return columns;
}

// Whether it is less work to reduce the rows of a window to one first, which
// outputs then share. It is where windows overlap, and where pixels are short.
// `quantized_cost` is the work on a vector of quantized values, where that on
// what is stored in between is 1.
bool ReducesRowsFirst(const Columns& columns, int64_t row_count,
                      int64_t quantized_cost) {
  constexpr int64_t kVector = 64;
  const int64_t vectors = (columns.channels + kVector - 1) / kVector;
  const int64_t direct = columns.seen * row_count * vectors * quantized_cost;
  const int64_t reduced = (columns.end - columns.begin) *
                              (row_count * quantized_cost + 1) / kVector +
                          columns.seen * vectors;
  return row_count > 1 && 5 * reduced < 4 * direct;
}

// The instruction set for rows of `channels` where `isa` is chosen. Vectors of
// 64 bytes with few channels in use read what was stored just before in too
// many pieces. Of less than eight channels, shorter vectors have none.
Isa IsaOfRows(Isa isa, int64_t channels) {
  const bool suits_long_vectors = channels >= 64 || channels < 8;
  return suits_long_vectors || isa < Isa::kAvx512 ? isa : Isa::kAvx2;
}

template <typename Element>
PoolRow<Element> RowOf(const std::vector<const Element*>& rows,
                       const Columns& columns) {
  return {rows.data(),          static_cast<int64_t>(rows.size()),
          columns.spans.data(), static_cast<int64_t>(columns.spans.size()),
          columns.step,         columns.channels};
}

// Calls `pool(rows, od, oh, where the output goes)` for each row of outputs, of
// all images; `rows` are the input's that it sees. `pool` is a copy for each
// thread.
template <typename Pool>
void ForEachRow(const PoolInput& input, const Extents& extents,
                const Dims& dilation, uint8_t* out, Parallel parallel,
                const Pool& pool) {
  const auto depth = static_cast<int64_t>(extents[0].size());
  const auto height = static_cast<int64_t>(extents[1].size());
  const auto width = static_cast<int64_t>(extents[2].size());
  const int64_t row_bytes = input.size[2] * input.channels;
  const int64_t out_bytes = width * input.channels;
  // Waking a thread is worth some 64 KB.
  const int64_t grain =
      1 + (1 << 16) / std::max<int64_t>(row_bytes + out_bytes, 1);
  const auto tasks = [&](int64_t begin, int64_t end) {
    Pool own = pool;
    std::vector<const uint8_t*> rows;
    for (int64_t task = begin; task < end; ++task) {
      const int64_t oh = task % height;
      const int64_t od = task / height % depth;
      const int64_t image = task / height / depth;
      rows.clear();
      for (int64_t d = 0; d < extents[0][od].count; ++d) {
        const int64_t plane =
            image * input.size[0] + extents[0][od].first + d * dilation[0];
        for (int64_t h = 0; h < extents[1][oh].count; ++h) {
          const int64_t line =
              plane * input.size[1] + extents[1][oh].first + h * dilation[1];
          rows.push_back(input.quantized + line * row_bytes);
        }
      }
      own(rows, od, oh, out + task * out_bytes);
    }
  };
  if (out_bytes > 0) {
    parallel(input.batch * depth * height, grain, tasks);
  }
}

// A row of maxima.
struct MaxOfRow {
  const MaxPoolKernels& kernels;
  const MaxPoolKernels& row_kernels;  // of IsaOfRows
  const Columns& columns;
  std::vector<uint8_t> reduced;

  void operator()(std::vector<const uint8_t*>& rows, int64_t /*od*/,
                  int64_t /*oh*/, uint8_t* out) {
    const auto row_count = static_cast<int64_t>(rows.size());
    if (ReducesRowsFirst(columns, row_count, 1)) {
      reduced.resize(columns.end);
      for (const uint8_t*& row : rows) {
        row += columns.begin;
      }
      kernels.max_of_rows(rows.data(), row_count, columns.end - columns.begin,
                          reduced.data() + columns.begin);
      rows.assign(1, reduced.data());
    }
    row_kernels.pool_row(RowOf(rows, columns), out);
  }
};

// The factors that each dimension contributes to the divisor of its outputs.
using Factors = std::array<std::vector<int64_t>, 3>;

// A row of averages. `multiplier(factors of an output)` is that of the output.
template <typename Multiplier>
struct AverageOfRow {
  const AveragePoolKernels& kernels;
  const AveragePoolKernels& row_kernels;  // of IsaOfRows
  const Columns& columns;
  const Factors& factors;
  int32_t zero_point;
  AverageRounding rounding;
  Multiplier multiplier;
  int64_t most_in_row;
  std::vector<AverageScale> scales;
  std::vector<uint16_t> sums;

  void operator()(std::vector<const uint8_t*>& rows, int64_t od, int64_t oh,
                  uint8_t* out) {
    const auto row_count = static_cast<int64_t>(rows.size());
    const auto outputs = static_cast<int64_t>(columns.spans.size());
    scales.resize(outputs);
    for (int64_t ow = 0; ow < outputs; ++ow) {
      const int64_t seen = columns.spans[ow].count;
      // Most outputs are as their neighbours.
      if (ow > 0 && seen == columns.spans[ow - 1].count &&
          factors[2][ow] == factors[2][ow - 1]) {
        scales[ow] = scales[ow - 1];
        continue;
      }
      scales[ow] = {
          static_cast<int32_t>(-row_count * seen * zero_point),
          multiplier({factors[0][od], factors[1][oh], factors[2][ow]})};
    }
    if (row_count * most_in_row > kNarrowSums ||
        !ReducesRowsFirst(columns, row_count, 2)) {
      row_kernels.pool_row(RowOf(rows, columns), scales.data(), rounding, out);
      return;
    }
    sums.resize(columns.end);
    for (const uint8_t*& row : rows) {
      row += columns.begin;
    }
    kernels.sum_of_rows(rows.data(), row_count, columns.end - columns.begin,
                        sums.data() + columns.begin);
    row_kernels.pool_sums(RowOf<uint16_t>({sums.data()}, columns),
                          scales.data(), rounding, out);
  }
};

template <typename Multiplier>
void Average(const PoolInput& input, const Extents& extents,
             const Factors& factors, int32_t zero_point,
             const AverageRounding& rounding, uint8_t* out, Parallel parallel,
             const Multiplier& multiplier) {
  const Columns columns = ColumnsOf(input, extents[2], 1);
  int64_t most_in_row = 0;
  for (const PoolSpan& span : columns.spans) {
    most_in_row = std::max(most_in_row, span.count);
  }
  const Isa row_isa = IsaOfRows(ChosenIsa(), columns.channels);
  const AverageOfRow<Multiplier> pool = {*kAveragePoolKernels.Chosen(),
                                         *kAveragePoolKernels.For(row_isa),
                                         columns,
                                         factors,
                                         zero_point,
                                         rounding,
                                         multiplier,
                                         most_in_row,
                                         {},
                                         {}};
  ForEachRow(input, extents, {1, 1, 1}, out, parallel, pool);
}

}  // namespace

void MaxPool(const PoolInput& input, const PoolWindow& window,
             const Dims& out_size, uint8_t* out, Parallel parallel) {
  const Isa isa = ChosenIsa();
  if (kMaxPoolKernels.For(isa) == nullptr) {
    MaxPoolReference(input, window, out_size, out);
    return;
  }
  const Extents extents =
      WindowExtents(window, window.dilation, input.size, out_size);
  const Columns columns = ColumnsOf(input, extents[2], window.dilation[2]);
  const MaxOfRow pool = {*kMaxPoolKernels.For(isa),
                         *kMaxPoolKernels.For(IsaOfRows(isa, columns.channels)),
                         columns,
                         {}};
  ForEachRow(input, extents, window.dilation, out, parallel, pool);
}

void AveragePool(const PoolInput& input, const PoolWindow& window,
                 const Dims& out_size, const AverageSpec& spec, uint8_t* out,
                 Parallel parallel) {
  if (kAveragePoolKernels.Chosen() == nullptr) {
    AveragePoolReference(input, window, out_size, spec, out);
    return;
  }
  const Extents extents =
      WindowExtents(window, {1, 1, 1}, input.size, out_size);
  Factors factors;
  for (int dim = 0; dim < 3; ++dim) {
    for (int64_t o = 0; o < out_size[dim]; ++o) {
      const int64_t padded = std::min(
          window.kernel[dim],
          input.size[dim] + 2 * window.padding[dim] - o * window.stride[dim]);
      factors[dim].push_back(spec.count_include_pad
                                 ? std::max<int64_t>(padded, 0)
                                 : extents[dim][o].count);
    }
  }
  const bool last = spec.rule == AverageRule::kChannelsLast;
  const float ratio = spec.input_scale / spec.output_scale;
  const double exact_ratio =
      static_cast<double>(spec.input_scale) / spec.output_scale;
  const AverageRounding rounding =
      last ? AverageRounding{0.0f, spec.output_zero_point}
           : AverageRounding{static_cast<float>(spec.output_zero_point), 0};
  Average(input, extents, factors, spec.input_zero_point, rounding, out,
          parallel, [&](const Dims& of) {
            const int64_t divisor =
                spec.divisor != 0 ? spec.divisor : of[0] * of[1] * of[2];
            return last ? ratio / static_cast<float>(divisor)
                        : static_cast<float>(exact_ratio /
                                             static_cast<double>(divisor));
          });
}

void AdaptiveAveragePool(const PoolInput& input, const Dims& out_size,
                         const AverageSpec& spec, uint8_t* out,
                         Parallel parallel) {
  if (kAveragePoolKernels.Chosen() == nullptr) {
    AdaptiveAveragePoolReference(input, out_size, spec, out);
    return;
  }
  const Extents extents = AdaptiveExtents(input.size, out_size);
  const bool last = spec.rule == AverageRule::kChannelsLast;
  const float ratio = spec.input_scale / spec.output_scale;
  Factors factors;
  for (int dim = 0; dim < 3; ++dim) {
    for (const Extent& extent : extents[dim]) {
      factors[dim].push_back(extent.count);
    }
  }
  Average(input, extents, factors, last ? spec.input_zero_point : 0,
          {0.0f, last ? spec.output_zero_point : 0}, out, parallel,
          [&](const Dims& of) {
            if (last) {
              const float multiplier =
                  ratio / static_cast<float>(of[0] * of[1] * of[2]);
              return 1.0f / (1.0f / multiplier);
            }
            return static_cast<float>(1.0 / static_cast<double>(of[0])) /
                   static_cast<float>(of[1]) / static_cast<float>(of[2]);
          });
}

}  // namespace ns::kernels
