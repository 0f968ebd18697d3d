#include "passes/lowering/kernels/normalization/group_norm.h"

#include <algorithm>
#include <vector>

#include "passes/lowering/kernels/isa.h"
#include "passes/lowering/kernels/normalization/code_moments.h"
#include "passes/lowering/kernels/normalization/group_norm_kernels.h"
#include "passes/lowering/kernels/normalization/layer_norm_kernels.h"

namespace ns::kernels {
namespace {

// Waking a thread is worth some so many codes.
constexpr int64_t kGrainCodes = 1 << 14;

// So many codes of a channel, squared, add up to less than 2^32.
constexpr int64_t kMostPositions = 1 << 16;

class Normalizer {
 public:
  Normalizer(const GroupNormShape& shape, const GroupNormSpec& spec)
      : shape_(shape),
        spec_(spec),
        is_avx512_(ChosenIsa() >= Isa::kAvx512),
        kernels_(is_avx512_ ? GroupNormAvx512() : GroupNormAvx2()) {}

  // [images][channels][positions]: groups are dense.
  void ByGroup(const uint8_t* input, uint8_t* out, Parallel parallel) const {
    const int64_t count = members() * shape_.positions;
    const auto sum = is_avx512_ ? SumCodesAvx512 : SumCodesAvx2;
    parallel(shape_.images * shape_.groups, 1 + kGrainCodes / count,
             [&](int64_t begin, int64_t end) {
               for (int64_t group = begin; group < end; ++group) {
                 const CodeMoments moments =
                     Moments(sum(input + group * count, count));
                 for (int64_t member = 0; member < members(); ++member) {
                   const int64_t at = group * count + member * shape_.positions;
                   const int64_t channel =
                       group % shape_.groups * members() + member;
                   const float factor = Weight(channel) * moments.rstd;
                   const float bias = Bias(channel);
                   kernels_.normalize_channel(
                       input + at, shape_.positions,
                       {&moments.mean, &factor, &bias,
                        1.0f / spec_.output_scale, spec_.output_zero_point},
                       out + at);
                 }
               }
             });
  }

  // [images][positions][channels].
  void ByPosition(const uint8_t* input, uint8_t* out, Parallel parallel) const {
    const int64_t channels = shape_.channels;
    const Parameters parameters = ParametersOf(input, parallel);
    parallel(shape_.images * shape_.positions, 1 + kGrainCodes / channels,
             [&](int64_t begin, int64_t end) {
               for (int64_t row = begin; row < end; ++row) {
                 const int64_t at = row / shape_.positions * channels;
                 kernels_.normalize_position(
                     input + row * channels, channels,
                     {&parameters.means[at], &parameters.factors[at],
                      &parameters.biases[at], 1.0f / spec_.output_scale,
                      spec_.output_zero_point},
                     out + row * channels);
               }
             });
  }

 private:
  // Of [images][channels].
  struct Parameters {
    std::vector<float> means;
    std::vector<float> factors;
    std::vector<float> biases;
  };

  int64_t members() const { return shape_.channels / shape_.groups; }
  float Weight(int64_t channel) const {
    return spec_.weight == nullptr ? 1.0f : spec_.weight[channel];
  }
  float Bias(int64_t channel) const {
    return spec_.bias == nullptr ? 0.0f : spec_.bias[channel];
  }
  CodeMoments Moments(const CodeSums& sums) const {
    return MomentsOf(sums, members() * shape_.positions, spec_.input_scale,
                     spec_.input_zero_point, spec_.eps);
  }

  // With channels last. Positions are added up in pieces, which threads share.
  Parameters ParametersOf(const uint8_t* input, Parallel parallel) const {
    const int64_t channels = shape_.channels;
    const int64_t length =
        std::min(1 + 4 * kGrainCodes / channels, kMostPositions);
    const int64_t pieces = (shape_.positions + length - 1) / length;
    std::vector<uint32_t> sums(shape_.images * pieces * channels);
    std::vector<uint32_t> squares(sums.size());
    parallel(shape_.images * pieces, 1, [&](int64_t begin, int64_t end) {
      for (int64_t piece = begin; piece < end; ++piece) {
        const int64_t image = piece / pieces;
        const int64_t first = piece % pieces * length;
        const int64_t last = std::min(first + length, shape_.positions);
        for (int64_t position = first; position < last; ++position) {
          kernels_.add_position(
              input + (image * shape_.positions + position) * channels,
              channels, &sums[piece * channels], &squares[piece * channels]);
        }
      }
    });
    const int64_t count = shape_.images * channels;
    Parameters parameters = {std::vector<float>(count),
                             std::vector<float>(count),
                             std::vector<float>(count)};
    for (int64_t group = 0; group < shape_.images * shape_.groups; ++group) {
      const int64_t image = group / shape_.groups;
      const int64_t first = group % shape_.groups * members();
      CodeSums total = {0, 0};
      for (int64_t piece = image * pieces; piece < (image + 1) * pieces;
           ++piece) {
        for (int64_t i = 0; i < members(); ++i) {
          total.sum += sums[piece * channels + first + i];
          total.sum_of_squares += squares[piece * channels + first + i];
        }
      }
      const CodeMoments moments = Moments(total);
      for (int64_t channel = first; channel < first + members(); ++channel) {
        const int64_t at = image * channels + channel;
        parameters.means[at] = moments.mean;
        parameters.factors[at] = Weight(channel) * moments.rstd;
        parameters.biases[at] = Bias(channel);
      }
    }
    return parameters;
  }

  const GroupNormShape& shape_;
  const GroupNormSpec& spec_;
  bool is_avx512_;
  GroupNormKernels kernels_;
};

}  // namespace

void GroupNorm(const uint8_t* input, const GroupNormShape& shape,
               const GroupNormSpec& spec, uint8_t* out, Parallel parallel) {
  if (ChosenIsa() == Isa::kScalar) {
    GroupNormReference(input, shape, spec, out);
    return;
  }
  if (shape.images * shape.channels * shape.positions == 0) {
    return;
  }
  const Normalizer normalizer(shape, spec);
  // One position lies alike in both layouts, and has channels to go along.
  if (shape.channels_last || shape.positions == 1) {
    normalizer.ByPosition(input, out, parallel);
  } else {
    normalizer.ByGroup(input, out, parallel);
  }
}

}  // namespace ns::kernels
