// Scale and zero point from a range of values: the one formula that observers,
// fake quantization and conversion share.
#ifndef PASSES_RUNTIME_OBSERVERS_VALUES_QPARAMS_H_
#define PASSES_RUNTIME_OBSERVERS_VALUES_QPARAMS_H_

#include <cstdint>
#include <optional>

namespace ns {

// q = round(x / scale) + zero_point.
struct QParams {
  double scale = 1;
  int64_t zero_point = 0;
};

// The integers that values are quantized to, and how a range is laid on them.
struct QuantGrid {
  int64_t quant_min = 0;
  int64_t quant_max = 255;
  // Where the range is symmetric around zero: the integer that zero becomes.
  // Absent for affine grids, whose zero point depends on the range.
  std::optional<int64_t> symmetric_zero_point;
  // No scale is below it.
  float eps = 0x1p-23F;
  // Overflows as PyTorch does: the zero points of 32-bit grids wrap around, and
  // a range that is longer than the largest float has an infinite scale.
  bool compat = false;
};

// The parameters with which `grid` covers min..max, widened to hold 0, which is
// exact. `min` <= `max`; both are finite, unless `grid` has `compat`. Computed
// in float32, operation by operation as PyTorch's observers do
// (UniformQuantizationObserverBase._calculate_qparams), so that the bits are
// theirs.
//
//   affine     scale = (max - min) / (quant_max - quant_min)
//              zero_point = clamp(quant_min - round(min / scale))
//   symmetric  scale = max(|min|, |max|) / ((quant_max - quant_min) / 2)
//              zero_point = that of the grid
QParams ChooseQParams(float min, float max, const QuantGrid& grid);

// The same for the grid quant_min..quant_max. Where it is symmetric, its zero
// point is 0 if quant_min is negative, and else the middle: 128 for 0..255.
QParams ChooseQParams(float min, float max, int64_t quant_min,
                      int64_t quant_max, bool symmetric);

// q = round(x / scale + zero_point), the zero point being any real number: how
// rows of embeddings are quantized.
struct FloatQParams {
  float scale = 1;
  float zero_point = 0;
};

// The parameters for min..max as it is, not widened to hold 0:
//
//   scale = (max - min) / (quant_max - quant_min), or 1 where this is not
//           above `eps`
//   zero_point = -min / scale
//
// `min` becomes 0, whatever quant_min is, as with PyTorch's observers.
FloatQParams ChooseFloatQParams(float min, float max, const QuantGrid& grid);

}  // namespace ns

#endif  // PASSES_RUNTIME_OBSERVERS_VALUES_QPARAMS_H_
