#include "tests/passes/kernels/depthwise/lane_cases.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <sstream>

#include "gtest/gtest.h"
#include "passes/kernels/isa.h"

namespace ns::kernels {
namespace {

int64_t Product(const Dims& dims) { return dims[0] * dims[1] * dims[2]; }

int64_t Uniform(std::mt19937& random, int64_t low, int64_t high) {
  return std::uniform_int_distribution<int64_t>(low, high)(random);
}

// Half of the weights are extreme, so that pairs do saturate.
std::vector<int8_t> RandomWeights(int64_t count, std::mt19937& random) {
  std::vector<int8_t> weights(count);
  for (int8_t& weight : weights) {
    const int64_t kind = Uniform(random, 0, 3);
    weight = static_cast<int8_t>(kind == 0   ? 127
                                 : kind == 1 ? -128
                                             : Uniform(random, -128, 127));
  }
  return weights;
}

// The parameters of an OutputSpec.
struct Parameters {
  std::vector<float> scales;
  std::vector<int32_t> zero_points;
  std::vector<float> bias;
  std::vector<int32_t> quantized_bias;
};

Parameters RandomParameters(const LaneCase& lane_case, std::mt19937& random) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  Parameters parameters;
  std::uniform_real_distribution<float> scale(0.0001F, 0.01F);
  std::uniform_real_distribution<float> bias(-5, 5);
  for (int64_t i = 0; i < lane_case.shape.out_channels; ++i) {
    parameters.scales.push_back(scale(random));
    parameters.zero_points.push_back(
        static_cast<int32_t>(Uniform(random, -128, 127)));
    parameters.bias.push_back(bias(random));
    parameters.quantized_bias.push_back(
        static_cast<int32_t>(Uniform(random, -100000, 100000)));
    if (lane_case.odd_floats) {
      const float odd[] = {kNan, kInfinity, -kInfinity, 1e38F, -1e38F, 0};
      parameters.bias.back() = odd[Uniform(random, 0, 5)];
      parameters.scales.back() = i % 2 == 0 ? 1e30F : 1e-30F;
    }
  }
  if (lane_case.one_scale) {
    parameters.scales.resize(1);
    parameters.zero_points.resize(1);
  }
  return parameters;
}

OutputSpec SpecOf(const LaneCase& lane_case, const Parameters& parameters,
                  std::mt19937& random) {
  OutputSpec spec;
  spec.type = lane_case.type;
  spec.activation_scale = 0.02F;
  spec.activation_zero_point = lane_case.activation_zero_point;
  spec.weight_scales = parameters.scales;
  if (lane_case.has_weight_zero_points) {
    spec.weight_zero_points = parameters.zero_points;
  }
  if (lane_case.quantized_bias) {
    spec.quantized_bias = parameters.quantized_bias;
  } else {
    spec.bias = parameters.bias;
  }
  spec.output_scale = 0.05F;
  spec.output_zero_point = static_cast<int32_t>(
      lane_case.type == OutputType::kS8 ? Uniform(random, -128, 127)
                                        : Uniform(random, 0, 255));
  if (Uniform(random, 0, 1) == 0) {
    spec.min = lane_case.type == OutputType::kF32
                   ? 0
                   : static_cast<float>(spec.output_zero_point);
    spec.max = lane_case.type == OutputType::kS8 ? 100 : 200;
  }
  return spec;
}

std::string ShowDims(const Dims& dims) {
  std::ostringstream out;
  out << dims[0] << "x" << dims[1] << "x" << dims[2];
  return out.str();
}

// Where outputs differ, or -1. A nan is any other.
int64_t FirstDifference(OutputType type, const ExactBytes& x,
                        const ExactBytes& y) {
  const int64_t size = OutputSize(type);
  for (int64_t i = 0; i < x.size(); i += size) {
    float a = 0;
    float b = 0;
    if (type == OutputType::kF32) {
      std::memcpy(&a, x.data() + i, 4);
      std::memcpy(&b, y.data() + i, 4);
    }
    if (std::memcmp(x.data() + i, y.data() + i, size) != 0 &&
        !(std::isnan(a) && std::isnan(b))) {
      return i / size;
    }
  }
  return -1;
}

}  // namespace

std::string LaneCase::Describe() const {
  std::ostringstream out;
  out << batch << " images of " << ShowDims(size) << ", " << shape.in_channels
      << " channels in " << shape.groups << " groups, kernel "
      << ShowDims(shape.kernel) << ", stride " << ShowDims(shape.stride)
      << ", padding " << ShowDims(shape.padding) << ", dilation "
      << ShowDims(shape.dilation) << ", " << SaturationModeName(mode)
      << ", output type " << static_cast<int>(type) << ", zero point "
      << activation_zero_point << ", activations up to " << largest_activation
      << (has_weight_zero_points ? ", weight zero points" : "")
      << (one_scale ? ", one scale" : "")
      << (quantized_bias ? ", quantized bias" : "")
      << (odd_floats ? ", odd floats" : "");
  return out.str();
}

LaneCase SquareCase(int64_t channels, int64_t groups, int64_t kernel,
                    int64_t stride, int64_t size) {
  LaneCase lane_case;
  ConvShape& shape = lane_case.shape;
  shape.groups = groups;
  shape.in_channels = channels;
  shape.out_channels = channels;
  shape.kernel = {1, kernel, kernel};
  shape.stride = {1, stride, stride};
  shape.padding = {0, (kernel - 1) / 2, (kernel - 1) / 2};
  lane_case.size = {1, size, size};
  lane_case.activation_zero_point = 3;
  return lane_case;
}

LaneCase RandomCase(int64_t groups, int64_t channels_of_group,
                    std::mt19937& random) {
  LaneCase lane_case;
  ConvShape& shape = lane_case.shape;
  shape.groups = groups;
  shape.in_channels = groups * channels_of_group;
  shape.out_channels = groups * channels_of_group;
  const bool is_3d = Uniform(random, 0, 3) == 0;
  const bool is_dilated = Uniform(random, 0, 3) == 0;
  for (int i = is_3d ? 0 : 1; i < 3; ++i) {
    shape.kernel[i] = Uniform(random, 1, is_3d ? 3 : 7);
    shape.stride[i] = Uniform(random, 1, 3);
    shape.dilation[i] = is_dilated ? Uniform(random, 1, 3) : 1;
    shape.padding[i] = Uniform(random, 0, 4);
    lane_case.size[i] = Uniform(random, 1, is_3d ? 5 : 14);
    // At least one output.
    const int64_t reach = shape.dilation[i] * (shape.kernel[i] - 1) + 1;
    lane_case.size[i] =
        std::max(lane_case.size[i], reach - 2 * shape.padding[i]);
  }
  lane_case.batch = Uniform(random, 1, 2);
  lane_case.mode = static_cast<SaturationMode>(Uniform(random, 0, 2));
  lane_case.type =
      static_cast<OutputType>(std::max<int64_t>(Uniform(random, -3, 3), 0));
  const int32_t zero_points[] = {0, 255, 128, 7};
  lane_case.activation_zero_point = zero_points[Uniform(random, 0, 3)];
  lane_case.largest_activation = Uniform(random, 0, 2) == 0 ? 127 : 255;
  lane_case.has_weight_zero_points = Uniform(random, 0, 3) == 0;
  lane_case.one_scale = Uniform(random, 0, 3) == 0;
  lane_case.quantized_bias = Uniform(random, 0, 3) == 0;
  lane_case.odd_floats = Uniform(random, 0, 7) == 0;
  return lane_case;
}

void ExpectSameOutputs(const LaneCase& lane_case, const LaneFunction& function,
                       const LaneFunction& reference, std::mt19937& random) {
  SCOPED_TRACE(lane_case.Describe());
  const ConvShape& shape = lane_case.shape;
  ASSERT_EQ(InvalidConv(shape), nullptr);
  const int64_t k = Product(shape.kernel) * shape.in_channels / shape.groups;
  const std::vector<int8_t> weights =
      RandomWeights(shape.out_channels * k, random);
  std::vector<int32_t> column_sums(shape.out_channels);
  for (int64_t i = 0; i < shape.out_channels * k; ++i) {
    column_sums[i / k] += weights[i];
  }
  ExactBytes input(lane_case.batch * Product(lane_case.size) *
                   shape.in_channels);
  std::generate_n(input.data(), input.size(), [&] {
    return static_cast<uint8_t>(
        Uniform(random, 0, lane_case.largest_activation));
  });
  const Parameters parameters = RandomParameters(lane_case, random);
  const OutputPlan plan =
      PlanOutput(SpecOf(lane_case, parameters, random), column_sums, k);
  const int64_t bytes = lane_case.batch *
                        Product(ConvOutput(shape, lane_case.size)) *
                        shape.out_channels * OutputSize(lane_case.type);
  ExactBytes expected(bytes, OutputSize(lane_case.type));
  reference({lane_case, weights.data(), input.data(), plan, expected.data()});
  for (const Isa isa : SupportedIsas()) {
    const ScopedIsa scope(isa);
    ExactBytes actual(bytes, OutputSize(lane_case.type));
    std::memset(actual.data(), 0xA5, bytes);
    function({lane_case, weights.data(), input.data(), plan, actual.data()});
    ASSERT_EQ(FirstDifference(lane_case.type, actual, expected), -1)
        << "in " << IsaName(isa);
  }
}

}  // namespace ns::kernels
