// Splits a convolution into phases: sets of outputs that are sums over evenly
// spaced inputs. A convolution that is not transposed is one phase.
#ifndef PASSES_KERNELS_CONV_CONV_PHASE_H_
#define PASSES_KERNELS_CONV_CONV_PHASE_H_

#include <array>
#include <cstdint>
#include <vector>

#include "passes/kernels/conv_shape.h"

namespace ns::kernels {

// One dimension of a phase. Output o of the phase is output out_first + o *
// out_step of the convolution. Tap t of the phase is kernel position
// kernel_first + t * kernel_step. For output o, tap t meets the input position
//
//   first + o * stride + t * step
//
// Input i is at position i * spread. Between the inputs, and around them, are
// zero points.
struct PhaseAxis {
  int64_t taps = 1;
  int64_t kernel_first = 0;
  int64_t kernel_step = 1;
  int64_t first = 0;
  int64_t stride = 1;
  int64_t step = 1;  // negative, of some spread inputs
  int64_t spread = 1;
  int64_t out_first = 0;
  int64_t out_step = 1;

  // The number of outputs of the phase, of `outputs` of the convolution.
  int64_t Outputs(int64_t outputs) const;
  // The position that the first tap of output `o` meets; the least position
  // that a tap of it meets; and the number of positions from that to the
  // greatest, 0 without taps.
  int64_t First(int64_t o) const { return first + o * stride; }
  int64_t Least(int64_t o) const;
  int64_t Span() const;
  // Whether all taps of all `outputs` of the phase meet one of `size` inputs.
  // False for a spread input.
  bool StaysInside(int64_t outputs, int64_t size) const;
};

// Depth, height, width.
using ConvPhase = std::array<PhaseAxis, 3>;

int64_t Taps(const ConvPhase& phase);
bool WritesAllOutputs(const ConvPhase& phase);

// Returns phases that together write each output once. A convolution that is
// not transposed has one. A transposed one has a phase for each output position
// modulo the strides, with the taps that meet inputs there; a phase may have
// none. With `one_phase`, it has one over a spread input instead, with all taps
// in the order of the kernel, on which saturating sums depend.
std::vector<ConvPhase> ConvPhases(const ConvShape& shape, bool one_phase);

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_CONV_CONV_PHASE_H_
