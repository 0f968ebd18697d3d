#include "passes/kernels/conv/phase_weights.h"

#include <algorithm>

namespace ns::kernels {
namespace {

PhaseRuns RunsOf(const ConvShape& shape, const ConvPhase& phase,
                 bool saturates) {
  const PhaseAxis& width = phase[2];
  const bool neighbours =
      shape.groups == 1 && (width.step == 1 || width.taps == 1);
  PhaseRuns runs;
  if (Taps(phase) == 0) {
    return runs;
  }
  runs.taps = neighbours ? width.taps : 1;
  runs.length = runs.taps * (shape.in_channels / shape.groups);
  runs.count = Taps(phase) / runs.taps;
  // Pairs of k cross runs of odd length.
  runs.dense = saturates && runs.count > 1 && runs.length % 2 != 0;
  return runs;
}

// The weight of an output channel at kernel position `at`, for input `c` of its
// group.
int8_t Weight(const ConvShape& shape, const int8_t* weights, int64_t channel,
              const Dims& at, int64_t c) {
  const int64_t group_inputs = shape.in_channels / shape.groups;
  const int64_t group_outputs = shape.out_channels / shape.groups;
  const int64_t row =
      shape.transposed
          ? (channel / group_outputs * group_inputs + c) * group_outputs +
                channel % group_outputs
          : channel * group_inputs + c;
  return weights[((row * shape.kernel[0] + at[0]) * shape.kernel[1] + at[1]) *
                     shape.kernel[2] +
                 at[2]];
}

// [output channel][tap][channel of the group].
std::vector<int8_t> WeightsOf(const ConvShape& shape, const ConvPhase& phase,
                              const int8_t* weights) {
  std::vector<int8_t> ordered;
  const int64_t group_inputs = shape.in_channels / shape.groups;
  ordered.reserve(shape.out_channels * Taps(phase) * group_inputs);
  const auto kernel_position = [&](int axis, int64_t tap) {
    return phase[axis].kernel_first + tap * phase[axis].kernel_step;
  };
  for (int64_t channel = 0; channel < shape.out_channels; ++channel) {
    for (int64_t d = 0; d < phase[0].taps; ++d) {
      for (int64_t h = 0; h < phase[1].taps; ++h) {
        for (int64_t w = 0; w < phase[2].taps; ++w) {
          const Dims at = {kernel_position(0, d), kernel_position(1, h),
                           kernel_position(2, w)};
          for (int64_t c = 0; c < group_inputs; ++c) {
            ordered.push_back(Weight(shape, weights, channel, at, c));
          }
        }
      }
    }
  }
  return ordered;
}

// Rows of `from` weights, with zeros to make them rows of `to`.
std::vector<int8_t> Widen(const std::vector<int8_t>& rows, int64_t from,
                          int64_t to) {
  const int64_t count = static_cast<int64_t>(rows.size()) / from;
  std::vector<int8_t> widened(count * to);
  for (int64_t i = 0; i < count; ++i) {
    std::copy_n(rows.begin() + i * from, from, widened.begin() + i * to);
  }
  return widened;
}

template <typename T>
std::vector<T> Slice(const std::vector<T>& values, int64_t begin,
                     int64_t count) {
  if (values.empty()) {
    return {};
  }
  return {values.begin() + begin, values.begin() + begin + count};
}

}  // namespace

PhaseWeights::PhaseWeights(const ConvShape& shape, const ConvPhase& phase,
                           const int8_t* weights, bool saturates)
    : phase_(phase), runs_(RunsOf(shape, phase, saturates)) {
  const std::vector<int8_t> ordered = WeightsOf(shape, phase, weights);
  const int64_t group_outputs = shape.out_channels / shape.groups;
  const int64_t matrices =
      group_outputs % PackedMatrix::kPanel == 0 ? 1 : shape.groups;
  const int64_t n = shape.out_channels / matrices;
  const int64_t k = runs_.count * runs_.length;
  for (int64_t i = 0; i < matrices; ++i) {
    matrices_.emplace_back(ordered.data() + i * n * k, n,
                           runs_.dense ? 1 : runs_.count,
                           runs_.dense ? k : runs_.length);
  }
  const int64_t steps = matrices_[0].run_steps();
  const int64_t rounded_length = steps * PackedMatrix::kStep;
  if (shape.groups == 1 && !runs_.dense && rounded_length != runs_.length) {
    rounded_ = PackedMatrix(Widen(ordered, runs_.length, rounded_length).data(),
                            n, runs_.count, rounded_length);
  }
  const int64_t kernel_taps =
      shape.kernel[0] * shape.kernel[1] * shape.kernel[2];
  const int64_t group_inputs = shape.in_channels / shape.groups;
  missing_k_ = (kernel_taps - Taps(phase)) * group_inputs;
  has_all_taps_ = missing_k_ == 0;
  if (has_all_taps_) {
    return;
  }
  for (int64_t channel = 0; channel < shape.out_channels; ++channel) {
    int32_t sum = 0;
    for (int64_t tap = 0; tap < kernel_taps; ++tap) {
      const Dims at = {tap / (shape.kernel[1] * shape.kernel[2]),
                       tap / shape.kernel[2] % shape.kernel[1],
                       tap % shape.kernel[2]};
      for (int64_t c = 0; c < group_inputs; ++c) {
        sum += Weight(shape, weights, channel, at, c);
      }
    }
    missing_sums_.push_back(sum -
                            matrices_[channel / n].column_sums()[channel % n]);
  }
}

int64_t PhaseWeights::bytes() const {
  int64_t bytes = 0;
  for (const PackedMatrix& matrix : matrices_) {
    bytes += matrix.panels() * matrix.panel_bytes();
  }
  return bytes;
}

// Missing taps meet the zero point: they add zero_point * missing_sum to the
// sum and zero_point * missing_k to the row sum.
OutputPlan PhaseWeights::PlanPhase(const OutputPlan& plan) const {
  OutputPlan result = plan;
  if (has_all_taps_) {
    return result;
  }
  for (int64_t channel = 0; channel < plan.channels; ++channel) {
    const int64_t weight_zero_point =
        plan.weight_zero_points.empty() ? 0 : plan.weight_zero_points[channel];
    const int64_t missing =
        plan.activation_zero_point *
        (missing_sums_[channel] - weight_zero_point * missing_k_);
    // Unsigned: sums of s32 wrap around.
    result.start[channel] =
        static_cast<int32_t>(static_cast<uint32_t>(plan.start[channel]) +
                             static_cast<uint32_t>(missing));
  }
  return result;
}

OutputPlan SlicePlan(const OutputPlan& plan, int64_t begin, int64_t count) {
  OutputPlan slice;
  slice.type = plan.type;
  slice.activation_zero_point = plan.activation_zero_point;
  slice.channels = count;
  slice.start = Slice(plan.start, begin, count);
  slice.addend = Slice(plan.addend, begin, count);
  slice.multiplier = Slice(plan.multiplier, begin, count);
  slice.addend_factor = plan.addend_factor;
  slice.weight_zero_points = Slice(plan.weight_zero_points, begin, count);
  slice.output_zero_point = plan.output_zero_point;
  slice.min = plan.min;
  slice.max = plan.max;
  return slice;
}

}  // namespace ns::kernels
