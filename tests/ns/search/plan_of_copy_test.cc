#include "ns/search/plan_of_copy.h"

#include <torch/csrc/jit/ir/ir.h>

#include <cstddef>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ns/quantization/model/quantize_options.h"
#include "tests/testing/float_model.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

// The same places of the other graph.
TEST(PlanOfCopyTest, PointsIntoTheCopy) {
  ModelGraph model =
      FloatModel({absl::StrCat("y = torch.relu(", ConvOf("x"), ")"),
                  absl::StrCat("return ", ConvOf("y"), " + y")});
  ObserverPlanOptions options;
  options.mapping = DefaultMapping({});
  const ObserverPlan plan = PlanObservers(model.graph(), options);
  ModelGraph clone = OrThrow(model.Clone());
  const ObserverPlan copied =
      PlanOfCopy(plan, GraphCopy(model.graph(), clone.graph()));
  ASSERT_EQ(copied.points.size(), plan.points.size());
  for (size_t i = 0; i < plan.points.size(); ++i) {
    EXPECT_EQ(copied.points[i].value->owningGraph(), &clone.graph());
    EXPECT_EQ(copied.points[i].value->node()->kind(),
              plan.points[i].value->node()->kind());
    ASSERT_EQ(copied.points[i].users.size(), plan.points[i].users.size());
    for (size_t j = 0; j < plan.points[i].users.size(); ++j) {
      EXPECT_EQ(copied.points[i].users[j]->owningGraph(), &clone.graph());
      EXPECT_EQ(copied.points[i].users[j]->kind(),
                plan.points[i].users[j]->kind());
    }
  }
  ASSERT_EQ(copied.layers.size(), 3);
  for (const PlannedLayer& layer : copied.layers) {
    EXPECT_EQ(layer.base->owningGraph(), &clone.graph());
  }
  ASSERT_EQ(copied.weights.size(), 2);
  for (const ObservedWeight& weight : copied.weights) {
    EXPECT_EQ(weight.node->owningGraph(), &clone.graph());
  }
}

}  // namespace
}  // namespace ns
