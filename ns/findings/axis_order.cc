#include "ns/findings/axis_order.h"

#include "ns/findings/outputs_of_model.h"

namespace ns {

std::optional<AxisOrder> FindAxisOrder(const ComparisonResult& result) {
  constexpr double kHarmlessDb = 20;
  if (result.exchanged_outputs.empty() && OutputsReach(result, kHarmlessDb)) {
    return std::nullopt;
  }
  for (size_t i = 0; i < result.layers.size(); ++i) {
    if (const auto& axes = result.layers[i].exchanged_axes) {
      return AxisOrder{i, "", *axes};
    }
  }
  return result.exchanged_outputs.empty()
             ? std::nullopt
             : std::make_optional(AxisOrder{std::nullopt,
                                            result.exchanged_outputs[0].name,
                                            result.exchanged_outputs[0].axes});
}

}  // namespace ns
