// Chooses qparams for a range of values, as dynamic quantization does.
#ifndef PASSES_KERNELS_ELEMENTWISE_CHOOSE_QPARAMS_H_
#define PASSES_KERNELS_ELEMENTWISE_CHOOSE_QPARAMS_H_

#include "passes/kernels/qparams.h"

namespace ns::kernels {

// Qparams of u8 that reach from `min` to `max`, both extended to 0, with the
// quantized values 0 to 255, or 0 to 127 when `reduce_range`: what fbgemm
// chooses (preserve_sparsity and force_scale_power_of_two off). Scales are at
// least 6.1e-5; a range of {0, 0} gives 0.1.
//
// LibTorch's own copy keeps the scale in double until the zero point is chosen.
// Where that is a tie, its zero point can differ: it does for 1 in 400,000
// random ranges.
//
// For ranges that are not finite, the scale is inf or nan as theirs is. Where
// the formula makes the zero point nan, it is 0.
QParams ChooseQuantizationParams(float min, float max, bool reduce_range);

// q = round(x / scale) + zero_point, with a scale in double.
struct DoubleQParams {
  double scale = 1;
  int32_t zero_point = 0;
};

// LibTorch's own copy of the same, for its onednn engine.
DoubleQParams ChooseQuantizationParamsInDouble(float min, float max,
                                               bool reduce_range);

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_ELEMENTWISE_CHOOSE_QPARAMS_H_
