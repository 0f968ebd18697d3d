// Recognizes quantized models that have two axes of a value in the other order.
#ifndef NS_FINDINGS_AXIS_ORDER_H_
#define NS_FINDINGS_AXIS_ORDER_H_

#include <cstddef>
#include <optional>
#include <string>

#include "ns/result/comparison_result.h"

namespace ns {

// Where axes are exchanged first.
struct AxisOrder {
  // The index of the layer; absent where only an output of the model shows it.
  std::optional<size_t> layer;
  // The name of that output; empty where there is a layer.
  std::string output;
  AxisExchange axes;
};

// Returns the first layer with LayerComparison::exchanged_axes, or else the
// first of ComparisonResult::exchanged_outputs. Absent where there is none, and
// where every output of the model has 20 dB or more: layers may keep their
// values in another layout than the float model, if what follows them does.
std::optional<AxisOrder> FindAxisOrder(const ComparisonResult& result);

}  // namespace ns

#endif  // NS_FINDINGS_AXIS_ORDER_H_
