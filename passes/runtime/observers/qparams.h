// Scale and zero point from a range of values.
#ifndef PASSES_RUNTIME_OBSERVERS_QPARAMS_H_
#define PASSES_RUNTIME_OBSERVERS_QPARAMS_H_

#include <cstdint>

namespace ns {

// q = round(x / scale) + zero_point.
struct QParams {
  double scale = 1;
  int64_t zero_point = 0;
};

// The parameters with which quant_min..quant_max covers min..max, widened to
// hold 0, which is exact. Computed in float32, as PyTorch's observers do.
//
//   affine     scale = (max - min) / (quant_max - quant_min)
//              zero_point = quant_min - round(min / scale)
//   symmetric  scale = max(|min|, |max|) / ((quant_max - quant_min) / 2)
//              zero_point = 0 for signed integers, their middle for unsigned
//
// No scale is below 2^-23, so that a range of zeros has one, too.
QParams ChooseQParams(float min, float max, int64_t quant_min,
                      int64_t quant_max, bool symmetric);

}  // namespace ns

#endif  // PASSES_RUNTIME_OBSERVERS_QPARAMS_H_
