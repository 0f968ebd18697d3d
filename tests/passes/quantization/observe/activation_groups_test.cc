#include "passes/quantization/observe/activation_groups.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

PreparedLayer Layer(std::vector<int64_t> inputs, int64_t output) {
  PreparedLayer layer;
  layer.inputs = std::move(inputs);
  layer.output = output;
  return layer;
}

// "0,1 of 0 to 1": observers, owners and readers.
std::vector<std::string> Groups(std::vector<PreparedLayer> layers,
                                int64_t fixed = -1) {
  PreparedModel prepared;
  prepared.layers = std::move(layers);
  std::vector<std::string> texts;
  for (const ActivationGroup& group : GroupActivations(
           prepared, [&](int64_t observer) { return observer == fixed; })) {
    texts.push_back(absl::StrCat(absl::StrJoin(group.observers, ","), " of ",
                                 absl::StrJoin(group.owners, ","), " to ",
                                 absl::StrJoin(group.readers, ",")));
  }
  return texts;
}

TEST(ActivationGroupsTest, AnInputOfTheModelGoesWithTheOutputOfItsReader) {
  EXPECT_THAT(Groups({Layer({0}, 1), Layer({1}, 2), Layer({2}, 3)}),
              ElementsAre("0,1 of 0 to 0,1", "2 of 1 to 2", "3 of 2 to "));
}

TEST(ActivationGroupsTest, ReadersOfOneInputAreOneGroup) {
  EXPECT_THAT(Groups({Layer({0}, 1), Layer({0}, 2), Layer({1, 2}, 3)}),
              ElementsAre("0,1,2 of 0,1 to 0,1,2", "3 of 2 to "));
}

TEST(ActivationGroupsTest, WhatHandsARangeOnIsNoReader) {
  // A convolution, a pool and a sum.
  EXPECT_THAT(Groups({Layer({0}, 1), Layer({1}, 1), Layer({1, 1}, 2)}),
              ElementsAre("0,1 of 0,1 to 0,2", "2 of 2 to "));
}

TEST(ActivationGroupsTest, FixedObserversAreInNone) {
  EXPECT_THAT(Groups({Layer({0}, 1), Layer({1}, 2), Layer({2}, 3)}, 2),
              ElementsAre("0,1 of 0 to 0,1", "3 of 2 to "));
  EXPECT_THAT(Groups({Layer({0}, 1)}, 0), ElementsAre("1 of 0 to "));
}

TEST(ActivationGroupsTest, NoLayersHaveNone) {
  EXPECT_THAT(Groups({}), IsEmpty());
}

}  // namespace
}  // namespace ns
