#include "tests/passes/kernels/conv/random_conv.h"

#include <algorithm>
#include <limits>
#include <random>
#include <sstream>

#include "passes/kernels/conv/conv.h"

namespace ns::kernels {
namespace {

class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}

  int64_t Between(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(engine_);
  }
  // Once in `n` times.
  bool OneIn(int64_t n) { return Between(1, n) == 1; }
  template <typename T>
  T Of(std::initializer_list<T> values) {
    return values.begin()[Between(0, static_cast<int64_t>(values.size()) - 1)];
  }

 private:
  std::mt19937_64 engine_;
};

int64_t RandomChannels(Random& random) {
  return random.OneIn(4) ? random.Of<int64_t>({8, 16, 24, 32, 48, 64})
                         : random.Between(1, 21);
}

int64_t WeightsOfOutput(const ConvShape& shape) {
  return shape.in_channels / shape.groups * shape.kernel[0] * shape.kernel[1] *
         shape.kernel[2];
}

// Whether a convolution has so few output channels that it may be computed by
// bands (passes/kernels/conv/band_weights.h).
bool HasFewOutputs(const ConvShape& shape) {
  return shape.groups == 1 && shape.out_channels < 10;
}

ConvShape RandomShape(Random& random) {
  ConvShape shape;
  const int64_t channels = RandomChannels(random);
  if (random.OneIn(3)) {
    shape.groups = random.Of<int64_t>({2, 3, 4, 8, 16});
  }
  switch (random.Between(0, 4)) {
    case 0:  // depthwise, sometimes with more outputs
      shape.groups = channels;
      shape.in_channels = channels;
      shape.out_channels = channels * random.Of<int64_t>({1, 1, 2, 3});
      break;
    case 1:
      shape.in_channels = shape.groups * random.Between(1, 5);
      shape.out_channels = shape.groups * random.Between(1, 20);
      break;
    case 2:  // few channels, with long kernels below
      shape.groups = 1;
      shape.in_channels = random.Between(1, 5);
      shape.out_channels = random.Between(1, 9);
      break;
    default:
      shape.groups = random.OneIn(4) ? 2 : 1;
      shape.in_channels = shape.groups * RandomChannels(random);
      shape.out_channels = shape.groups * RandomChannels(random);
  }
  shape.transposed = random.OneIn(4);
  const int64_t dimensions = random.Of<int64_t>({1, 2, 2, 2, 2, 3});
  const bool square = random.OneIn(2);
  for (int64_t i = 3 - dimensions; i < 3; ++i) {
    const int64_t most = dimensions == 3 ? 3 : 5;
    shape.kernel[i] = random.OneIn(8) ? 7 : random.Between(1, most);
    shape.stride[i] = random.OneIn(2) ? 1 : random.Between(1, 3);
    shape.dilation[i] = random.OneIn(2) ? 1 : random.Between(1, 3);
    shape.padding[i] = random.OneIn(4) ? 0 : random.Between(0, 3);
    if (square && i == 2 && dimensions > 1) {
      shape.kernel[2] = shape.kernel[1];
      shape.stride[2] = shape.stride[1];
      shape.dilation[2] = shape.dilation[1];
      shape.padding[2] = shape.padding[1];
    }
    if (random.OneIn(3)) {
      shape.dilation[i] = 1;
      shape.padding[i] = (shape.kernel[i] - 1) / 2;
    }
    if (i == 2 && HasFewOutputs(shape) && random.OneIn(2)) {
      shape.kernel[i] = random.Between(1, 70);
      shape.stride[i] = random.Between(1, 5);
      shape.dilation[i] = random.OneIn(8) ? 2 : 1;
      shape.padding[i] = random.Between(0, shape.kernel[i]);
    }
    if (shape.transposed) {
      shape.output_padding[i] =
          random.Between(0, std::max(shape.stride[i], shape.dilation[i]) - 1);
    }
  }
  return shape;
}

// An input with an output of at least one in each dimension, small if it can.
Dims RandomSize(const ConvShape& shape, Random& random) {
  Dims size;
  for (int i = 0; i < 3; ++i) {
    const bool used = shape.kernel[i] > 1 || shape.stride[i] > 1 ||
                      shape.padding[i] > 0 || i == 2;
    size[i] = used ? random.Between(1, i == 0 ? 4 : 9) : 1;
  }
  if (random.OneIn(8)) {
    size[2] = random.Between(10, 40);
  }
  if (HasFewOutputs(shape) && random.OneIn(2)) {
    size[2] = random.Between(1, 120);
  }
  for (int i = 0; i < 3; ++i) {
    while (ConvOutput(shape, size)[i] < 1) {
      ++size[i];
    }
  }
  return size;
}

void RandomSpec(ConvCase& conv, Random& random) {
  OutputSpec& spec = conv.spec;
  const int64_t channels = conv.shape.out_channels;
  spec.type = random.Of({OutputType::kU8, OutputType::kU8, OutputType::kS8,
                         OutputType::kF32, OutputType::kS32});
  spec.activation_scale = 0.02f;
  spec.activation_zero_point =
      random.OneIn(2) ? static_cast<int32_t>(random.Between(0, 255))
                      : random.Of({0, 255});
  const int64_t scales = random.OneIn(2) ? 1 : channels;
  for (int64_t i = 0; i < scales; ++i) {
    conv.weight_scales.push_back(
        random.OneIn(100)
            ? random.Of({1e30f, std::numeric_limits<float>::infinity()})
            : 0.001f * static_cast<float>(random.Between(1, 20)));
  }
  const int64_t zero_points = random.OneIn(2) ? 1 : channels;
  const bool symmetric = random.OneIn(2);
  for (int64_t i = 0; i < zero_points; ++i) {
    conv.weight_zero_points.push_back(
        symmetric ? 0 : static_cast<int32_t>(random.Between(-128, 127)));
  }
  for (int64_t i = 0; i < channels; ++i) {
    conv.bias.push_back(0.01f * static_cast<float>(random.Between(-99, 99)));
    conv.quantized_bias.push_back(
        static_cast<int32_t>(random.Between(-9999, 9999)));
  }
  spec.weight_scales = conv.weight_scales;
  spec.weight_zero_points = conv.weight_zero_points;
  switch (random.Between(0, 2)) {
    case 0:
      spec.bias = conv.bias;
      break;
    case 1:
      spec.quantized_bias = conv.quantized_bias;
      break;
  }
  spec.output_scale = 0.01f * static_cast<float>(random.Between(1, 30));
  const int32_t low = spec.type == OutputType::kS8 ? -128 : 0;
  spec.output_zero_point =
      low + (random.OneIn(2) ? static_cast<int32_t>(random.Between(0, 255))
                             : random.Of({0, 255}));
  if (random.OneIn(3)) {
    spec.min = spec.type == OutputType::kF32
                   ? 0.0f
                   : static_cast<float>(spec.output_zero_point);
  }
}

template <typename T, size_t kSize>
void Print(const char* name, const std::array<T, kSize>& values,
           std::ostream& text) {
  text << " " << name;
  for (const T& value : values) {
    text << (&value == values.data() ? " " : "x") << value;
  }
}

}  // namespace

int64_t ConvCase::Outputs() const {
  const Dims outputs = ConvOutput(shape, size);
  return batch * outputs[0] * outputs[1] * outputs[2] * shape.out_channels;
}

OutputPlan ConvCase::Plan() const {
  const int64_t group_inputs = shape.in_channels / shape.groups;
  const int64_t group_outputs = shape.out_channels / shape.groups;
  const int64_t taps = shape.kernel[0] * shape.kernel[1] * shape.kernel[2];
  std::vector<int32_t> sums(shape.out_channels);
  for (int64_t i = 0; i < static_cast<int64_t>(weights.size()); ++i) {
    const int64_t row = i / taps;
    const int64_t channel =
        shape.transposed ? row / group_outputs / group_inputs * group_outputs +
                               row % group_outputs
                         : row / group_inputs;
    sums[channel] += weights[i];
  }
  return PlanOutput(spec, sums, taps * group_inputs);
}

std::string ConvCase::Describe() const {
  std::ostringstream text;
  text << (shape.transposed ? "transposed " : "") << shape.in_channels << " to "
       << shape.out_channels << " in " << shape.groups << " groups, batch "
       << batch << ",";
  Print("size", size, text);
  Print("kernel", shape.kernel, text);
  Print("stride", shape.stride, text);
  Print("padding", shape.padding, text);
  Print("dilation", shape.dilation, text);
  Print("output padding", shape.output_padding, text);
  text << ", " << SaturationModeName(mode) << ", type "
       << static_cast<int>(spec.type) << ", zero point "
       << spec.activation_zero_point;
  return text.str();
}

std::unique_ptr<ConvCase> RandomConv(uint64_t seed) {
  Random random(seed);
  auto conv = std::make_unique<ConvCase>();
  // Few are big: many can be tried.
  do {
    conv->shape = RandomShape(random);
    conv->batch = random.OneIn(20) ? 0 : random.Of<int64_t>({1, 1, 2, 3});
    conv->size = RandomSize(conv->shape, random);
  } while (conv->Outputs() * WeightsOfOutput(conv->shape) > 400000);
  conv->mode = random.Of({SaturationMode::kExact, SaturationMode::kFbgemmVnni,
                          SaturationMode::kFbgemmAvx2});
  // Full ranges, so that pairs saturate.
  conv->weights.resize(conv->shape.out_channels * WeightsOfOutput(conv->shape));
  const bool extreme = random.OneIn(4);
  for (int8_t& weight : conv->weights) {
    weight = static_cast<int8_t>(extreme ? random.Of({-128, 127})
                                         : random.Between(-128, 127));
  }
  conv->input = ExactBytes(conv->batch * conv->size[0] * conv->size[1] *
                               conv->size[2] * conv->shape.in_channels,
                           random.OneIn(2) ? 0 : random.Between(1, 15));
  for (int64_t i = 0; i < conv->input.size(); ++i) {
    conv->input.data()[i] = static_cast<uint8_t>(
        extreme ? random.Of({0, 255}) : random.Between(0, 255));
  }
  RandomSpec(*conv, random);
  conv->out_offset = random.OneIn(2) ? 0 : 4 * random.Between(1, 3);
  return conv;
}

ExactBytes ReferenceOutputs(const ConvCase& conv) {
  ExactBytes out(conv.Outputs() * OutputSize(conv.spec.type), 0);
  ConvReference(conv.input.data(), conv.batch, conv.size, conv.shape,
                conv.weights.data(), conv.mode, conv.Plan(), out.data());
  return out;
}

}  // namespace ns::kernels
