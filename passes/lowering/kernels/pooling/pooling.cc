#include "passes/lowering/kernels/pooling/pooling.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "passes/lowering/kernels/isa.h"
#include "passes/lowering/kernels/pooling/pool_kernels.h"

namespace ns::kernels {
namespace {

// The inputs that an output sees in one dimension, `dilation` apart.
struct Extent {
  int64_t first;
  int64_t count;
};

// For each output, in each dimension.
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

// Calls `pool(row, od, oh, where the row's output goes)` for each row of
// outputs, of all images.
template <typename Pool>
void ForEachRow(const PoolInput& input, const Extents& extents,
                const Dims& dilation, uint8_t* out, Parallel parallel,
                Pool pool) {
  const auto depth = static_cast<int64_t>(extents[0].size());
  const auto height = static_cast<int64_t>(extents[1].size());
  const auto width = static_cast<int64_t>(extents[2].size());
  const int64_t row_bytes = input.size[2] * input.channels;
  std::vector<PoolSpan> spans;
  for (const Extent& extent : extents[2]) {
    // Where nothing is seen, the first may be anywhere.
    spans.push_back(
        {extent.count > 0 ? extent.first * input.channels : 0, extent.count});
  }
  // Waking a thread is worth some 64 KB.
  const int64_t grain =
      1 + (1 << 16) / std::max<int64_t>(row_bytes + width * input.channels, 1);
  const auto tasks = [&](int64_t begin, int64_t end) {
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
          rows.push_back(input.codes + line * row_bytes);
        }
      }
      const PoolRow row = {
          rows.data(), static_cast<int64_t>(rows.size()), spans.data(),
          width,       dilation[2] * input.channels,      input.channels};
      pool(row, od, oh, out + task * width * input.channels);
    }
  };
  if (width > 0 && input.channels > 0) {
    parallel(input.batch * depth * height, grain, tasks);
  }
}

// `multiplier(od, oh, ow)` is that of an output.
template <typename Multiplier>
void Average(const PoolInput& input, const Extents& extents, int32_t zero_point,
             const AverageRounding& rounding, uint8_t* out, Parallel parallel,
             Multiplier multiplier) {
  const auto average =
      ChosenIsa() >= Isa::kAvx512 ? AveragePoolRowAvx512 : AveragePoolRowAvx2;
  ForEachRow(input, extents, {1, 1, 1}, out, parallel,
             [&](const PoolRow& row, int64_t od, int64_t oh, uint8_t* row_out) {
               std::vector<AverageScale> scales(row.outputs);
               for (int64_t ow = 0; ow < row.outputs; ++ow) {
                 const int64_t count = row.row_count * row.spans[ow].count;
                 scales[ow] = {static_cast<int32_t>(-count * zero_point),
                               multiplier(od, oh, ow)};
               }
               average(row, scales.data(), rounding, row_out);
             });
}

}  // namespace

void MaxPool(const PoolInput& input, const PoolWindow& window,
             const Dims& out_size, uint8_t* out, Parallel parallel) {
  const Isa isa = ChosenIsa();
  if (isa == Isa::kScalar) {
    MaxPoolReference(input, window, out_size, out);
    return;
  }
  const auto max = isa >= Isa::kAvx512 ? MaxPoolRowAvx512 : MaxPoolRowAvx2;
  const Extents extents =
      WindowExtents(window, window.dilation, input.size, out_size);
  ForEachRow(input, extents, window.dilation, out, parallel,
             [&](const PoolRow& row, int64_t /*od*/, int64_t /*oh*/,
                 uint8_t* row_out) { max(row, row_out); });
}

void AveragePool(const PoolInput& input, const PoolWindow& window,
                 const Dims& out_size, const AverageSpec& spec, uint8_t* out,
                 Parallel parallel) {
  if (ChosenIsa() == Isa::kScalar) {
    AveragePoolReference(input, window, out_size, spec, out);
    return;
  }
  const Extents extents =
      WindowExtents(window, {1, 1, 1}, input.size, out_size);
  // What each dimension contributes to the divisor.
  std::array<std::vector<int64_t>, 3> factors;
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
  Average(input, extents, spec.input_zero_point, rounding, out, parallel,
          [&](int64_t od, int64_t oh, int64_t ow) {
            const int64_t divisor =
                spec.divisor != 0
                    ? spec.divisor
                    : factors[0][od] * factors[1][oh] * factors[2][ow];
            return last ? ratio / static_cast<float>(divisor)
                        : static_cast<float>(exact_ratio /
                                             static_cast<double>(divisor));
          });
}

void AdaptiveAveragePool(const PoolInput& input, const Dims& out_size,
                         const AverageSpec& spec, uint8_t* out,
                         Parallel parallel) {
  if (ChosenIsa() == Isa::kScalar) {
    AdaptiveAveragePoolReference(input, out_size, spec, out);
    return;
  }
  const Extents extents = AdaptiveExtents(input.size, out_size);
  const bool last = spec.rule == AverageRule::kChannelsLast;
  const float ratio = spec.input_scale / spec.output_scale;
  Average(input, extents, last ? spec.input_zero_point : 0,
          {0.0f, last ? spec.output_zero_point : 0}, out, parallel,
          [&](int64_t od, int64_t oh, int64_t ow) {
            const int64_t depth = extents[0][od].count;
            const int64_t height = extents[1][oh].count;
            const int64_t width = extents[2][ow].count;
            if (last) {
              const float multiplier =
                  ratio / static_cast<float>(depth * height * width);
              return 1.0f / (1.0f / multiplier);
            }
            return static_cast<float>(1.0 / static_cast<double>(depth)) /
                   static_cast<float>(height) / static_cast<float>(width);
          });
}

}  // namespace ns::kernels
