#include "passes/kernels/conv/conv_phase.h"

#include <algorithm>
#include <numeric>

namespace ns::kernels {
namespace {

PhaseAxis PlainAxis(const ConvShape& shape, int i) {
  PhaseAxis axis;
  axis.taps = shape.kernel[i];
  axis.first = -shape.padding[i];
  axis.stride = shape.stride[i];
  axis.step = shape.dilation[i];
  return axis;
}

// A transposed convolution is a plain one over its spread input, its kernel
// read backwards.
PhaseAxis SpreadAxis(const ConvShape& shape, int i) {
  PhaseAxis axis;
  axis.taps = shape.kernel[i];
  axis.first = shape.padding[i];
  axis.step = -shape.dilation[i];
  axis.spread = shape.stride[i];
  return axis;
}

// Outputs out_first, out_first + stride, ... of a transposed convolution: the
// taps that meet inputs and not what lies between them. The last tap comes
// first, so that inputs are met in their order.
PhaseAxis TransposedAxis(const ConvShape& shape, int i, int64_t out_first) {
  const int64_t stride = shape.stride[i];
  const int64_t dilation = shape.dilation[i];
  const int64_t period = stride / std::gcd(stride, dilation);
  const int64_t origin = out_first + shape.padding[i];
  PhaseAxis axis;
  axis.out_first = out_first;
  axis.out_step = stride;
  axis.taps = 0;
  axis.kernel_step = -period;
  axis.step = period * dilation / stride;
  for (int64_t tap = 0; tap < shape.kernel[i]; ++tap) {
    if ((origin - tap * dilation) % stride == 0) {
      ++axis.taps;
      axis.kernel_first = tap;
      axis.first = (origin - tap * dilation) / stride;
    }
  }
  return axis;
}

}  // namespace

int64_t PhaseAxis::Outputs(int64_t outputs) const {
  return outputs <= out_first ? 0 : (outputs - out_first - 1) / out_step + 1;
}

int64_t PhaseAxis::Least(int64_t o) const {
  return First(o) + std::min<int64_t>((taps - 1) * step, 0);
}

int64_t PhaseAxis::Span() const {
  return taps == 0 ? 0 : (taps - 1) * std::abs(step) + 1;
}

bool PhaseAxis::StaysInside(int64_t outputs, int64_t size) const {
  return spread == 1 && Least(0) >= 0 && Least(outputs - 1) + Span() <= size;
}

int64_t Taps(const ConvPhase& phase) {
  return phase[0].taps * phase[1].taps * phase[2].taps;
}

bool WritesAllOutputs(const ConvPhase& phase) {
  return phase[0].out_step == 1 && phase[1].out_step == 1 &&
         phase[2].out_step == 1;
}

std::vector<ConvPhase> ConvPhases(const ConvShape& shape, bool one_phase) {
  if (!shape.transposed) {
    return {{PlainAxis(shape, 0), PlainAxis(shape, 1), PlainAxis(shape, 2)}};
  }
  if (one_phase) {
    return {{SpreadAxis(shape, 0), SpreadAxis(shape, 1), SpreadAxis(shape, 2)}};
  }
  std::vector<ConvPhase> phases;
  for (int64_t d = 0; d < shape.stride[0]; ++d) {
    for (int64_t h = 0; h < shape.stride[1]; ++h) {
      for (int64_t w = 0; w < shape.stride[2]; ++w) {
        phases.push_back({TransposedAxis(shape, 0, d),
                          TransposedAxis(shape, 1, h),
                          TransposedAxis(shape, 2, w)});
      }
    }
  }
  return phases;
}

}  // namespace ns::kernels
