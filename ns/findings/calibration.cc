#include "ns/findings/calibration.h"

#include <cstddef>

#include "ns/findings/error_causes.h"
#include "ns/result/comparison_result.h"
#include "passes/ops/op_families.h"
#include "passes/ops/op_table.h"

namespace ns {

bool IsFixedScale(const LayerQParams& qparams) {
  return (qparams.scale == 1.0 / 256 && qparams.zero_point == 0) ||
         (qparams.scale == 2.0 / 256 && qparams.zero_point == 128);
}

bool HasRangeOfInput(const LayerComparison& layer) {
  const OpRow* const row = FindOp(layer.quantized_side.op);
  return row != nullptr && row->family == layer.family &&
         row->family_row->facts.range.kind == QuantizedRange::Kind::kOfInput;
}

size_t UncalibratedActivations(const ComparisonResult& result) {
  constexpr size_t kEnoughWithoutValues = 2;
  size_t count = 0;
  bool has_values = false;
  bool fits = true;
  for (const LayerComparison& layer : result.layers) {
    if (!layer.qparams || IsFixedScale(*layer.qparams)) {
      continue;
    }
    if (!IsInitial(*layer.qparams)) {
      return 0;
    }
    ++count;
    has_values |= layer.shadow.has_value() || layer.activation.has_value();
    fits = fits && !IsUncalibrated(layer);
  }
  return (has_values ? fits : count < kEnoughWithoutValues) ? 0 : count;
}

}  // namespace ns
