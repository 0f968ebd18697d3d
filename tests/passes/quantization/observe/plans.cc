#include "tests/passes/quantization/observe/plans.h"

#include <ATen/Functions.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tests/testing/float_model.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {

ObserverPlanOptions Mapped(const QConfigMapping& mapping) {
  ObserverPlanOptions options;
  options.mapping = mapping;
  return options;
}

ObserverPlanOptions Everywhere() {
  return Mapped(QConfigMapping().SetGlobal(Int8PerTensorQConfig()));
}

ObserverPlanOptions Compat() {
  ObserverPlanOptions options = Everywhere();
  options.compat = true;
  return options;
}

ObserverPlan PlanOf(const std::vector<std::string>& body,
                    const ObserverPlanOptions& options) {
  const ModelGraph model = FloatModel(body);
  ObserverPlan plan = PlanObservers(model.graph(), options);
  // The graph goes with the model.
  for (ObservedPoint& point : plan.points) {
    point.value = nullptr;
    point.users.clear();
  }
  for (PlannedLayer& layer : plan.layers) {
    layer.base = nullptr;
  }
  for (ObservedWeight& weight : plan.weights) {
    weight.node = nullptr;
  }
  return plan;
}

ModelGraph ModelOfModules() {
  return OrThrow(ModelGraph::FromModule(
      MakeModel({{"conv", Conv2d(at::rand({3, 3, 1, 1}))},
                 {"fc", Linear(at::rand({4, 4}))}},
                {"y = self.conv.forward(x)",
                 "return self.fc.forward(y) + self.fc.forward(x)"})));
}

std::vector<std::string> Layers(const ObserverPlan& plan) {
  std::vector<std::string> lines;
  for (const PlannedLayer& layer : plan.layers) {
    lines.push_back(absl::StrCat(layer.name, " ",
                                 absl::StrJoin(layer.inputs, " "), " -> ",
                                 layer.output));
  }
  return lines;
}

std::vector<std::string> StayedFloat(const ObserverPlan& plan) {
  std::vector<std::string> lines;
  for (const FloatLayer& layer : plan.stayed_float) {
    lines.push_back(absl::StrCat(layer.name, ": ", layer.reason));
  }
  return lines;
}

}  // namespace ns
