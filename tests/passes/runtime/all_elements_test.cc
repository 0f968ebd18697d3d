#include "passes/runtime/all_elements.h"

#include <ATen/Functions.h>

#include <vector>

#include "gtest/gtest.h"

namespace ns {
namespace {

TEST(AllElementsTest, AreInOrder) {
  const at::Tensor x = at::arange(6, at::kFloat).reshape({2, 3});
  EXPECT_TRUE(
      AllElements({x.t(), at::full({1}, 7.0)})
          .equal(at::tensor({0.0F, 3.0F, 1.0F, 4.0F, 2.0F, 5.0F, 7.0F})));
  EXPECT_TRUE(
      AllElements({at::ones({2}, at::kLong)}).equal(at::ones({2}, at::kLong)));
}

TEST(AllElementsTest, OfQuantizedTensorsAreFloats) {
  const at::Tensor x = at::tensor({0.5F, 1.0F});
  EXPECT_TRUE(AllElements({at::quantize_per_tensor(x, 0.5, 0, at::kQUInt8),
                           at::quantize_per_tensor(x, 1.0, 3, at::kQUInt8)})
                  .equal(at::tensor({0.5F, 1.0F, 0.0F, 1.0F})));
}

TEST(AllElementsTest, WhatHasNoneIsLeftOut) {
  EXPECT_EQ(AllElements({}).sizes(), at::IntArrayRef({0}));
  EXPECT_TRUE(AllElements({at::Tensor(), at::empty({0, 3}), at::ones({2})})
                  .equal(at::ones({2})));
}

}  // namespace
}  // namespace ns
