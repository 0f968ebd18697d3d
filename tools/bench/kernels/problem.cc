#include "tools/bench/kernels/problem.h"

#include <cmath>
#include <cstdlib>
#include <random>

#include "absl/strings/str_cat.h"
#include "tools/bench/kernels/aligned_bytes.h"

namespace ns::bench {

Problem::Problem(const Layer& layer)
    : layer(layer),
      input(AlignedBytes(InputBytes(layer))),
      weights(WeightBytes(layer)),
      weight_scales(layer.shape.out_channels),
      weight_zero_points(layer.shape.out_channels, 0),
      bias(layer.shape.out_channels),
      activation_scale(0.02F),
      activation_zero_point(121),
      output_zero_point(layer.relu ? 0 : 117) {
  std::minstd_rand random(1);
  for (int64_t i = 0; i < InputBytes(layer); ++i) {
    input.get()[i] = static_cast<uint8_t>(random() >> 8);
  }
  std::uniform_int_distribution<int> weight(-63, 63);
  for (int8_t& code : weights) {
    code = static_cast<int8_t>(weight(random));
  }
  std::uniform_real_distribution<float> scale(0.005F, 0.015F);
  for (float& value : weight_scales) {
    value = scale(random);
  }
  // Standard deviations of codes that are uniform, 74 and 36, and of the sum of
  // so many products.
  const double deviation = 74 * 36 * 0.01 * activation_scale *
                           std::sqrt(static_cast<double>(ProductsOf(layer)));
  std::normal_distribution<float> offset(0, static_cast<float>(deviation) / 4);
  for (float& value : bias) {
    value = offset(random);
  }
  output_scale = static_cast<float>(deviation * (layer.relu ? 3 : 6) / 255);
}

float Problem::SumScale(int64_t channel) const {
  return activation_scale * weight_scales[channel];
}

kernels::OutputSpec Problem::Output() const {
  kernels::OutputSpec spec;
  spec.activation_scale = activation_scale;
  spec.activation_zero_point = activation_zero_point;
  spec.weight_scales = weight_scales;
  spec.weight_zero_points = weight_zero_points;
  spec.bias = bias;
  spec.output_scale = output_scale;
  spec.output_zero_point = output_zero_point;
  if (layer.relu) {
    spec.min = static_cast<float>(output_zero_point);
  }
  return spec;
}

std::string CompareCodes(const uint8_t* a, const uint8_t* b, int64_t count) {
  int64_t different = 0;
  int64_t first = 0;
  for (int64_t i = 0; i < count; ++i) {
    if (std::abs(a[i] - b[i]) > 1 && different++ == 0) {
      first = i;
    }
  }
  return different == 0
             ? ""
             : absl::StrCat(different, " of ", count,
                            " codes differ by more than 1, first at ", first,
                            ": ", static_cast<int>(a[first]), " and ",
                            static_cast<int>(b[first]));
}

}  // namespace ns::bench
