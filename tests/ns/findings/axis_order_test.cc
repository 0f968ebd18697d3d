#include "ns/findings/axis_order.h"

#include "gtest/gtest.h"
#include "tests/ns/report/table_results.h"

namespace ns {
namespace {

LayerComparison Exchanged(absl::string_view name) {
  LayerComparison layer = Broken(name, -2, 40, -2);
  layer.exchanged_axes = AxisExchange{0, 1, 38};
  return layer;
}

TEST(AxisOrderTest, TheFirstLayerCounts) {
  const auto order = FindAxisOrder(
      WithShadows({Broken("a", 40, 40, 60), Exchanged("b"), Exchanged("c")}));
  ASSERT_TRUE(order.has_value());
  EXPECT_EQ(order->layer, 1);
  EXPECT_EQ(order->axes.second, 1);
}

TEST(AxisOrderTest, AnOutputCountsWhereNoLayerDoes) {
  ComparisonResult result = WithShadows({Broken("a", 40, 40, 60)});
  EXPECT_FALSE(FindAxisOrder(result).has_value());
  result.exchanged_outputs.push_back({"output[1]", {1, 2, 30}});
  const auto order = FindAxisOrder(result);
  ASSERT_TRUE(order.has_value());
  EXPECT_FALSE(order->layer.has_value());
  EXPECT_EQ(order->output, "output[1]");
  EXPECT_EQ(order->axes.first, 1);
}

TEST(AxisOrderTest, AnotherLayoutInsideIsNoFault) {
  ComparisonResult result = WithShadows({Exchanged("a")});
  result.model_outputs.push_back({"output", "", "", Figures(20)});
  EXPECT_FALSE(FindAxisOrder(result).has_value());
  result.model_outputs[0].figures = Figures(19);
  EXPECT_TRUE(FindAxisOrder(result).has_value());
  // Another output is exchanged, and has another shape and no figures.
  result.model_outputs[0].figures = Figures(40);
  result.exchanged_outputs.push_back({"output[1]", {0, 1, 30}});
  EXPECT_TRUE(FindAxisOrder(result).has_value());
}

}  // namespace
}  // namespace ns
