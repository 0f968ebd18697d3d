#include "passes/kernels/normalization/group_norm.h"

#include <algorithm>
#include <vector>

#include "passes/kernels/channel_pattern.h"
#include "passes/kernels/isa.h"
#include "passes/kernels/normalization/group_norm_kernels.h"
#include "passes/kernels/normalization/value_moments.h"

namespace ns::kernels {
namespace {

constexpr IsaTable<const GroupNormKernels*> kKernels = {
    {Isa::kAvx2, &kAvx2GroupNorm},
    {Isa::kAvx512, &kAvx512GroupNorm},
};

// Waking a thread is worth so many quantized values.
constexpr int64_t kGrainValues = 1 << 14;

class Normalizer {
 public:
  Normalizer(const GroupNormShape& shape, const NormalizationSpec& spec,
             const GroupNormKernels& kernels)
      : shape_(shape), spec_(spec), kernels_(kernels) {}

  // [images][channels][positions]: groups are dense.
  void ByGroup(const uint8_t* input, uint8_t* out, Parallel parallel) const {
    const int64_t count = members() * shape_.positions;
    parallel(shape_.images * shape_.groups, 1 + kGrainValues / count,
             [&](int64_t begin, int64_t end) {
               for (int64_t group = begin; group < end; ++group) {
                 const ValueMoments moments =
                     Moments(kernels_.sum(input + group * count, count));
                 for (int64_t member = 0; member < members(); ++member) {
                   const int64_t at = group * count + member * shape_.positions;
                   const int64_t channel =
                       group % shape_.groups * members() + member;
                   const float factor = Weight(channel) * moments.rstd;
                   const float bias = Bias(channel);
                   kernels_.normalize_alike(
                       input + at, shape_.positions,
                       {&moments.mean, &factor, &bias,
                        1.0f / spec_.output_scale, spec_.output_zero_point},
                       out + at);
                 }
               }
             });
  }

  // [images][positions][channels]: a line is some positions, enough for vectors
  // to go along.
  void ByLine(const uint8_t* input, uint8_t* out, Parallel parallel) const {
    const Lines lines = LinesOfImage();
    const Parameters parameters = ParametersOf(input, lines, parallel);
    parallel(shape_.images * lines.count, 1 + kGrainValues / lines.size,
             [&](int64_t begin, int64_t end) {
               for (int64_t i = begin; i < end; ++i) {
                 const int64_t image = i / lines.count;
                 const int64_t first = i % lines.count * lines.size;
                 const int64_t at = image * lines.image + first;
                 kernels_.normalize_each(
                     input + at, std::min(lines.size, lines.image - first),
                     {&parameters.means[image * lines.size],
                      &parameters.factors[image * lines.size],
                      &parameters.biases[image * lines.size],
                      1.0f / spec_.output_scale, spec_.output_zero_point},
                     out + at);
               }
             });
  }

 private:
  // How an image with channels last falls into lines.
  struct Lines {
    int64_t image;  // quantized values of an image
    int64_t size;   // quantized values of a line; the last one may have less
    int64_t count;  // lines of an image
  };

  // The parameters of each quantized value of a line, of each image.
  struct Parameters {
    explicit Parameters(int64_t count)
        : means(count), factors(count), biases(count) {}

    std::vector<float> means;
    std::vector<float> factors;
    std::vector<float> biases;
  };

  Lines LinesOfImage() const {
    const int64_t image = shape_.positions * shape_.channels;
    const int64_t size =
        RowsOfPattern(shape_.positions, shape_.channels) * shape_.channels;
    return {image, size, (image + size - 1) / size};
  }

  int64_t members() const { return shape_.channels / shape_.groups; }
  float Weight(int64_t channel) const {
    return spec_.weight == nullptr ? 1.0f : spec_.weight[channel];
  }
  float Bias(int64_t channel) const {
    return spec_.bias == nullptr ? 0.0f : spec_.bias[channel];
  }
  ValueMoments Moments(const ValueSums& sums) const {
    return MomentsOf(sums, members() * shape_.positions, spec_);
  }

  Parameters ParametersOf(const uint8_t* input, const Lines& lines,
                          Parallel parallel) const {
    // Threads share the lines of an image, in pieces: some 65,000 quantized
    // values, whose squares add up to less than 2^32.
    const int64_t length = 1 + 4 * kGrainValues / lines.size;
    const int64_t pieces = (lines.count + length - 1) / length;
    std::vector<uint32_t> sums(shape_.images * pieces * lines.size);
    std::vector<uint32_t> squares(sums.size());
    parallel(shape_.images * pieces, 1, [&](int64_t begin, int64_t end) {
      for (int64_t piece = begin; piece < end; ++piece) {
        const int64_t first = piece % pieces * length * lines.size;
        const int64_t count =
            std::min(length * lines.size, lines.image - first);
        const int64_t whole = count / lines.size;
        const uint8_t* const quantized =
            input + piece / pieces * lines.image + first;
        uint32_t* const sum = &sums[piece * lines.size];
        uint32_t* const square = &squares[piece * lines.size];
        kernels_.add_lines(quantized, whole, lines.size, sum, square);
        kernels_.add_lines(quantized + whole * lines.size, 1,
                           count - whole * lines.size, sum, square);
      }
    });
    Parameters parameters(shape_.images * lines.size);
    for (int64_t group = 0; group < shape_.images * shape_.groups; ++group) {
      const int64_t image = group / shape_.groups;
      const int64_t first = group % shape_.groups * members();
      // Calls member(i) for each quantized value i of `count` that is of the
      // group.
      const auto for_members = [&](int64_t count, const auto& member) {
        for (int64_t row = first; row < count; row += shape_.channels) {
          for (int64_t i = row; i < row + members(); ++i) {
            member(i);
          }
        }
      };
      ValueSums total = {0, 0};
      const int64_t begin = image * pieces * lines.size;
      for_members(pieces * lines.size, [&](int64_t i) {
        total.sum += sums[begin + i];
        total.sum_of_squares += squares[begin + i];
      });
      const ValueMoments moments = Moments(total);
      for_members(lines.size, [&](int64_t i) {
        const int64_t channel = i % shape_.channels;
        parameters.means[image * lines.size + i] = moments.mean;
        parameters.factors[image * lines.size + i] =
            Weight(channel) * moments.rstd;
        parameters.biases[image * lines.size + i] = Bias(channel);
      });
    }
    return parameters;
  }

  const GroupNormShape& shape_;
  const NormalizationSpec& spec_;
  const GroupNormKernels& kernels_;
};

}  // namespace

void GroupNorm(const uint8_t* input, const GroupNormShape& shape,
               const NormalizationSpec& spec, uint8_t* out, Parallel parallel) {
  const GroupNormKernels* const kernels = kKernels.Chosen();
  if (kernels == nullptr) {
    GroupNormReference(input, shape, spec, out);
    return;
  }
  if (shape.images * shape.channels * shape.positions == 0) {
    return;
  }
  const Normalizer normalizer(shape, spec, *kernels);
  // One position lies alike in both layouts, and has channels to go along.
  if (shape.channels_last || shape.positions == 1) {
    normalizer.ByLine(input, out, parallel);
  } else {
    normalizer.ByGroup(input, out, parallel);
  }
}

}  // namespace ns::kernels
