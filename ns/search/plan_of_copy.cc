#include "ns/search/plan_of_copy.h"

#include <torch/csrc/jit/ir/ir.h>

namespace ns {

ObserverPlan PlanOfCopy(ObserverPlan plan, const GraphCopy& copy) {
  for (ObservedPoint& point : plan.points) {
    point.value = copy.Of(point.value);
    for (torch::jit::Node*& user : point.users) {
      user = copy.Of(user);
    }
  }
  for (ObservedWeight& weight : plan.weights) {
    weight.node = copy.Of(weight.node);
  }
  for (PlannedLayer& layer : plan.layers) {
    layer.base = copy.Of(layer.base);
  }
  return plan;
}

}  // namespace ns
