#include "passes/quantization/observe/shared_observers.h"

#include "gtest/gtest.h"
#include "passes/runtime/observers/observer_names.h"

namespace ns {
namespace {

ObserverSpec Fixed(double scale) {
  ObserverSpec spec = SpecOf(ObserverKind::kFixedQParams);
  spec.config.scale = scale;
  return spec;
}

const ObserverSpec kMinMax = SpecOf(ObserverKind::kMinMax);
const ObserverSpec kMse = SpecOf(ObserverKind::kMse);

TEST(SharedObserversTest, NewOnesStandForThemselves) {
  SharedObservers observers;
  EXPECT_EQ(observers.Add(kMinMax), 0);
  EXPECT_EQ(observers.Add(kMse), 1);
  EXPECT_EQ(observers.Find(0), 0);
  EXPECT_EQ(observers.Find(1), 1);
  EXPECT_EQ(observers.SpecOf(0), kMinMax);
  EXPECT_EQ(observers.SpecOf(1), kMse);
  EXPECT_EQ(observers.specs().size(), 2);
}

TEST(SharedObserversTest, TheFirstSpecWins) {
  SharedObservers observers;
  const int a = observers.Add(kMinMax);
  const int b = observers.Add(kMse);
  EXPECT_TRUE(observers.Unify(b, a));
  EXPECT_EQ(observers.Find(a), observers.Find(b));
  EXPECT_EQ(observers.SpecOf(a), kMse);
  EXPECT_EQ(observers.specs()[observers.Find(a)], kMse);
}

TEST(SharedObserversTest, JoiningGoesOn) {
  SharedObservers observers;
  for (int i = 0; i < 6; ++i) {
    observers.Add(kMinMax);
  }
  EXPECT_TRUE(observers.Unify(0, 1));
  EXPECT_TRUE(observers.Unify(2, 3));
  EXPECT_TRUE(observers.Unify(3, 1));
  EXPECT_TRUE(observers.Unify(0, 3));
  for (const int i : {1, 2, 3}) {
    EXPECT_EQ(observers.Find(i), observers.Find(0));
  }
  EXPECT_EQ(observers.Find(4), 4);
  EXPECT_TRUE(observers.Unify(4, 4));
  EXPECT_EQ(observers.Find(5), 5);
}

TEST(SharedObserversTest, FixedQParamsJoinTheirEqualsAlone) {
  SharedObservers observers;
  const int sigmoid = observers.Add(Fixed(1.0 / 256));
  const int other_sigmoid = observers.Add(Fixed(1.0 / 256));
  const int tanh = observers.Add(Fixed(2.0 / 256));
  const int sum = observers.Add(kMinMax);
  EXPECT_TRUE(observers.Unify(sigmoid, other_sigmoid));
  EXPECT_FALSE(observers.Unify(sigmoid, tanh));
  EXPECT_FALSE(observers.Unify(sum, tanh));
  EXPECT_FALSE(observers.Unify(tanh, sum));
  EXPECT_EQ(observers.Find(tanh), tanh);
  EXPECT_EQ(observers.Find(sum), sum);
  EXPECT_EQ(observers.SpecOf(sum), kMinMax);
}

TEST(SharedObserversTest, WhatWasJoinedWithAFixedOneIsFixed) {
  SharedObservers observers;
  const int a = observers.Add(Fixed(0.5));
  const int b = observers.Add(Fixed(0.5));
  const int c = observers.Add(kMinMax);
  EXPECT_TRUE(observers.Unify(a, b));
  EXPECT_FALSE(observers.Unify(c, b));
}

}  // namespace
}  // namespace ns
