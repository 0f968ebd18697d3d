#include "ns/accuracy/class_scores.h"

#include <ATen/ATen.h>

#include "gtest/gtest.h"

namespace ns {
namespace {

TEST(ClassScoresTest, AreTheFirstTensorOfFloats) {
  const at::Tensor integers = at::zeros({2}, at::kLong);
  const at::Tensor scores = at::rand({2, 3});
  EXPECT_TRUE(
      ScoresIn(c10::ivalue::Tuple::create({integers, scores})).is_same(scores));
  const at::Tensor quantized =
      at::quantize_per_tensor(at::ones({2, 3}), 0.5, 3, at::kQUInt8);
  EXPECT_TRUE(ScoresIn(quantized).equal(at::ones({2, 3})));
  EXPECT_FALSE(ScoresIn(integers).defined());
  EXPECT_FALSE(ScoresIn(c10::IValue(7)).defined());
}

TEST(ClassScoresTest, HaveTwoDimensionsAndClasses) {
  const at::Tensor scores = at::rand({4, 2});
  EXPECT_TRUE(AreClassScores(scores, at::rand({4, 2})));
  EXPECT_FALSE(AreClassScores(scores, at::rand({4, 3})));
  EXPECT_FALSE(AreClassScores(at::rand({4, 1}), at::rand({4, 1})));
  EXPECT_FALSE(AreClassScores(at::rand({4, 2, 2}), at::rand({4, 2, 2})));
  EXPECT_FALSE(AreClassScores(scores, at::Tensor()));
  EXPECT_FALSE(AreClassScores(at::Tensor(), scores));
}

}  // namespace
}  // namespace ns
