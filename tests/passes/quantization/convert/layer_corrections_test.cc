#include "passes/quantization/convert/layer_corrections.h"

#include <ATen/Functions.h>

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::Key;

// Of layers a and b.
LayerCorrections OfTwo() {
  LayerCorrections corrections;
  corrections.corrects_bias = [](const std::string& layer) {
    return layer == "a" || layer == "b";
  };
  for (const char* layer : {"a", "b"}) {
    corrections.bias_shifts[layer] = at::ones({2});
    corrections.weights[layer] = at::ones({2, 2});
  }
  return corrections;
}

TEST(LayerCorrectionsTest, OnlyThoseOfSomeLayersAreLeft) {
  const LayerCorrections only = OnlyFor({"b", "c"}, OfTwo());
  EXPECT_THAT(only.bias_shifts, ElementsAre(Key("b")));
  EXPECT_THAT(only.weights, ElementsAre(Key("b")));
  EXPECT_TRUE(only.corrects_bias("b"));
  EXPECT_FALSE(only.corrects_bias("a"));
  // There was nothing for it before.
  EXPECT_FALSE(only.corrects_bias("c"));
  EXPECT_EQ(OnlyFor({"a"}, LayerCorrections()).corrects_bias, nullptr);
}

TEST(LayerCorrectionsTest, WhatIsAddedComesBeforeWhatIsThere) {
  LayerCorrections added;
  added.weights["b"] = at::zeros({2, 2});
  added.weights["c"] = at::zeros({2, 2});
  const LayerCorrections joined = Joined(OfTwo(), added);
  EXPECT_THAT(joined.weights, ElementsAre(Key("a"), Key("b"), Key("c")));
  EXPECT_EQ(joined.weights.at("a").sum().item<float>(), 4);
  EXPECT_EQ(joined.weights.at("b").sum().item<float>(), 0);
  EXPECT_EQ(joined.bias_shifts.size(), 2);
  EXPECT_TRUE(joined.corrects_bias("a"));
  added.corrects_bias = [](const std::string&) { return false; };
  EXPECT_FALSE(Joined(OfTwo(), added).corrects_bias("a"));
}

}  // namespace
}  // namespace ns
