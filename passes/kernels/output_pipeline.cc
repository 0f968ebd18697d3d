#include "passes/kernels/output_pipeline.h"

#include <algorithm>
#include <cmath>

namespace ns::kernels {
namespace {

template <typename T>
T At(absl::Span<const T> values, int64_t channel) {
  return values.size() == 1 ? values[0] : values[channel];
}

int32_t Saturate(int32_t value, int32_t low, int32_t high) {
  return std::min(std::max(value, low), high);
}

struct Range {
  float low;
  float high;
};

Range RangeOf(OutputType type) {
  switch (type) {
    case OutputType::kU8:
      return {0, 255};
    case OutputType::kS8:
      return {-128, 127};
    default:
      return {-std::numeric_limits<float>::infinity(),
              std::numeric_limits<float>::infinity()};
  }
}

ByteConstants MakeByteConstants(const OutputPlan& plan) {
  constexpr uint32_t kBytes = 0x01010101;
  if (plan.type != OutputType::kU8 && plan.type != OutputType::kS8) {
    return {};
  }
  const int32_t move = plan.type == OutputType::kS8 ? 128 : 0;
  const int32_t min = static_cast<int32_t>(plan.min) + move;
  const int32_t max = static_cast<int32_t>(plan.max) + move;
  const uint16_t zero_point =
      static_cast<uint16_t>(plan.output_zero_point + move);
  return {zero_point * 0x00010001u, static_cast<uint8_t>(move) * kBytes,
          static_cast<uint8_t>(min) * kBytes,
          static_cast<uint8_t>(max) * kBytes,
          move == 0 && min == 0 && max == 255};
}

}  // namespace

int64_t OutputSize(OutputType type) {
  return type == OutputType::kU8 || type == OutputType::kS8 ? 1 : 4;
}

OutputPlan PlanOutput(const OutputSpec& spec,
                      absl::Span<const int32_t> column_sums, int64_t k) {
  OutputPlan plan;
  plan.type = spec.type;
  plan.activation_zero_point = spec.activation_zero_point;
  plan.channels = static_cast<int64_t>(column_sums.size());
  plan.output_zero_point = spec.output_zero_point;
  const Range range = RangeOf(spec.type);
  plan.min = std::min(std::max(spec.min, range.low), range.high);
  plan.max = std::max(std::min(spec.max, range.high), range.low);
  const bool one_scale = spec.weight_scales.size() == 1;
  if (one_scale && !spec.bias.empty()) {
    const float aw = spec.activation_scale * spec.weight_scales[0];
    plan.addend_factor = static_cast<float>(1.0 / aw);
  }
  const bool has_zero_points = std::any_of(
      spec.weight_zero_points.begin(), spec.weight_zero_points.end(),
      [](int32_t zero_point) { return zero_point != 0; });
  for (int64_t channel = 0; channel < plan.channels; ++channel) {
    const int32_t zero_point =
        has_zero_points ? At(spec.weight_zero_points, channel) : 0;
    // Unsigned: sums of s32 wrap around.
    const uint32_t column =
        static_cast<uint32_t>(column_sums[channel]) -
        static_cast<uint32_t>(zero_point) * static_cast<uint32_t>(k);
    uint32_t start =
        0u - static_cast<uint32_t>(spec.activation_zero_point) * column;
    if (!spec.quantized_bias.empty()) {
      start += static_cast<uint32_t>(spec.quantized_bias[channel]);
    }
    plan.start.push_back(static_cast<int32_t>(start));
    if (has_zero_points) {
      plan.weight_zero_points.push_back(zero_point);
    }
    const float aw = spec.activation_scale * At(spec.weight_scales, channel);
    const float bias = spec.bias.empty() ? 0.0f : spec.bias[channel];
    // Without a bias there is none to divide: aw may be so small that it is 0.
    const bool divides = !one_scale && !spec.bias.empty();
    if (spec.type == OutputType::kF32) {
      plan.addend.push_back(bias);
      plan.multiplier.push_back(aw);
    } else {
      plan.addend.push_back(divides ? bias / aw : bias);
      plan.multiplier.push_back(aw / spec.output_scale);
    }
  }
  return plan;
}

OutputView ViewOutput(const OutputPlan& plan, int64_t begin) {
  return {plan.type,
          plan.start.data() + begin,
          plan.addend.data() + begin,
          plan.multiplier.data() + begin,
          plan.weight_zero_points.empty()
              ? nullptr
              : plan.weight_zero_points.data() + begin,
          plan.addend_factor,
          plan.output_zero_point,
          plan.min,
          plan.max,
          MakeByteConstants(plan)};
}

int32_t RoundToInt32(float x) {
  const float rounded = std::nearbyint(x);
  if (!(rounded >= -2147483648.0f && rounded < 2147483648.0f)) {
    return std::numeric_limits<int32_t>::min();
  }
  return static_cast<int32_t>(rounded);
}

int32_t Requantize(float x, float multiplier, int32_t zero_point,
                   OutputType type) {
  const int32_t rounded = Saturate(RoundToInt32(x * multiplier), -32768, 32767);
  const int32_t shifted = Saturate(rounded + zero_point, -32768, 32767);
  return type == OutputType::kS8 ? Saturate(shifted, -128, 127)
                                 : Saturate(shifted, 0, 255);
}

void WriteOutput(const OutputView& view, int64_t channel, int32_t sum,
                 int32_t row_sum, void* out, int64_t index) {
  uint32_t corrected =
      static_cast<uint32_t>(sum) + static_cast<uint32_t>(view.start[channel]);
  if (view.weight_zero_points != nullptr) {
    corrected -= static_cast<uint32_t>(row_sum) *
                 static_cast<uint32_t>(view.weight_zero_points[channel]);
  }
  const int32_t acc = static_cast<int32_t>(corrected);
  if (view.type == OutputType::kS32) {
    static_cast<int32_t*>(out)[index] = acc;
    return;
  }
  const float real = static_cast<float>(acc);
  if (view.type == OutputType::kF32) {
    float value =
        std::fma(real, view.multiplier[channel], view.addend[channel]);
    value = value < view.min ? view.min : value;
    static_cast<float*>(out)[index] = value > view.max ? view.max : value;
    return;
  }
  const float x = std::fma(view.addend[channel], view.addend_factor, real);
  const int32_t quantized = Requantize(x, view.multiplier[channel],
                                       view.output_zero_point, view.type);
  const int32_t clamped = Saturate(quantized, static_cast<int32_t>(view.min),
                                   static_cast<int32_t>(view.max));
  if (view.type == OutputType::kU8) {
    static_cast<uint8_t*>(out)[index] = static_cast<uint8_t>(clamped);
  } else {
    static_cast<int8_t*>(out)[index] = static_cast<int8_t>(clamped);
  }
}

}  // namespace ns::kernels
