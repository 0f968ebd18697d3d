#include "passes/quantization/observe/observer_points.h"

#include <torch/csrc/jit/ir/ir.h>

#include <vector>

#include "gtest/gtest.h"

namespace ns {
namespace {

using ::torch::jit::Value;

const ObserverSpec kMse = SpecOf(ObserverKind::kMse);
const ObserverSpec kMinMax = SpecOf(ObserverKind::kMinMax);

class ObserverPointsTest : public testing::Test {
 protected:
  Value* NewValue() { return graph_.addInput(); }

  torch::jit::Graph graph_;
  ObserverPoints points_;
};

TEST_F(ObserverPointsTest, UsersWithOneSpecShareAPoint) {
  Value* x = NewValue();
  const int first = points_.AddInput({x, graph_.return_node()}, kMse);
  EXPECT_EQ(points_.AddInput({x, graph_.param_node()}, kMse), first);
  EXPECT_NE(points_.AddInput({x, graph_.param_node()}, kMinMax), first);
  EXPECT_FALSE(points_.ObserverOf(x));
  const std::vector<ObservedPoint> points = points_.Take();
  ASSERT_EQ(points.size(), 2);
  EXPECT_EQ(points[0].users.size(), 2);
}

TEST_F(ObserverPointsTest, WhatIsQuantizedAlreadyGetsNoOtherPoint) {
  Value* x = NewValue();
  const int observer = points_.observers().Add(kMse);
  points_.AddOutput(x, observer, /*is_seen=*/false);
  Value* view = NewValue();
  points_.Carry(view, observer);
  EXPECT_EQ(points_.AddInput({x, graph_.return_node()}, kMinMax), observer);
  EXPECT_EQ(points_.AddInput({view, graph_.return_node()}, kMinMax), observer);
  const std::vector<ObservedPoint> points = points_.Take();
  ASSERT_EQ(points.size(), 1);
  EXPECT_FALSE(points[0].is_seen);
  EXPECT_TRUE(points[0].users.empty());
}

TEST_F(ObserverPointsTest, JoinedPointsHaveOneObserver) {
  Value* a = NewValue();
  Value* b = NewValue();
  Value* output = NewValue();
  const int first = points_.observers().Add(kMse);
  const int second = points_.observers().Add(kMse);
  points_.AddOutput(a, first, /*is_seen=*/true);
  points_.AddOutput(b, second, /*is_seen=*/true);
  points_.Join({first, second}, output);
  EXPECT_EQ(points_.ObserverOf(output), first);
  for (const ObservedPoint& point : points_.Take()) {
    EXPECT_EQ(point.observer, first);
  }
}

TEST_F(ObserverPointsTest, FixedScalesThatDifferCannotJoin) {
  ObserverSpec fixed = SpecOf(ObserverKind::kFixedQParams);
  Value* a = NewValue();
  Value* b = NewValue();
  points_.AddOutput(a, points_.observers().Add(fixed), /*is_seen=*/true);
  EXPECT_FALSE(points_.CanJoin({{a, nullptr}, {b, nullptr}}));
  points_.AddOutput(b, points_.observers().Add(fixed), /*is_seen=*/true);
  EXPECT_TRUE(points_.CanJoin({{a, nullptr}, {b, nullptr}}));
  Value* c = NewValue();
  fixed.config.scale = 0.5;
  points_.AddOutput(c, points_.observers().Add(fixed), /*is_seen=*/true);
  EXPECT_FALSE(points_.CanJoin({{a, nullptr}, {c, nullptr}}));
  points_.Join({*points_.ObserverOf(a), *points_.ObserverOf(c)}, NewValue());
  EXPECT_EQ(points_.Take().size(), 3);
}

}  // namespace
}  // namespace ns
