#include "ns/training/training_loss.h"

#include <ATen/ATen.h>
#include <torch/csrc/jit/serialization/pickle.h>

#include <cmath>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/float_model.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::HasSubstr;

Batch BatchOf(const at::Tensor& x) { return {{x}, {}, ""}; }

TEST(LabelLossTest, IsTheCrossEntropyAndCountsHits) {
  const auto loss = MakeLabelLoss({at::tensor({0, 2}, at::kLong)});
  EXPECT_TRUE(loss->counts_samples());
  const at::Tensor scores =
      at::tensor({2.0F, 0.0F, 0.0F, 0.0F, 1.0F, 0.0F}).reshape({2, 3});
  const BatchLoss value = OrThrow(loss->Of(scores, BatchOf(scores), 0));
  const at::Tensor log = scores.log_softmax(1);
  EXPECT_FLOAT_EQ(value.loss.item<float>(),
                  -(log[0][0] + log[1][2]).item<float>() / 2);
  EXPECT_EQ(value.samples, 2);
  EXPECT_EQ(value.correct, 1);
}

TEST(LabelLossTest, NanIsNoClass) {
  const auto loss = MakeLabelLoss({at::tensor({0, 0}, at::kLong)});
  const at::Tensor scores = at::tensor({NAN, NAN, 1.0F, 0.0F}).reshape({2, 2});
  EXPECT_EQ(OrThrow(loss->Of(scores, BatchOf(scores), 0)).correct, 1);
}

TEST(LabelLossTest, TakesLabelsOfAnyIntegersAndShape) {
  const auto loss = MakeLabelLoss({at::tensor({1, 0}, at::kInt).view({2, 1})});
  const at::Tensor scores = at::tensor({0.0F, 1.0F, 1.0F, 0.0F}).view({2, 2});
  EXPECT_EQ(OrThrow(loss->Of(scores, BatchOf(scores), 0)).correct, 2);
}

TEST(LabelLossTest, NamesTheBatchThatDoesNotFit) {
  const auto loss = MakeLabelLoss({at::tensor({0, 3}, at::kLong)});
  const auto message = [&](const at::Tensor& output) {
    return MessageOf(loss->Of(output, BatchOf(output), 0));
  };
  EXPECT_THAT(message(at::zeros({2, 3})),
              HasSubstr("batch 0: has labels that are not from 0 to 2"));
  EXPECT_THAT(message(at::zeros({3, 4})), HasSubstr("has 2 labels for 3"));
  EXPECT_THAT(message(at::zeros({0, 4})),
              HasSubstr("returns no scores for it"));
  EXPECT_THAT(message(at::zeros({2, 3, 4})),
              HasSubstr("the model returns [2, 3, 4], and labels need scores"));
  EXPECT_THAT(message(at::zeros({2, 4}, at::kLong)),
              HasSubstr("the model returns no scores"));
}

TEST(TeacherLossTest, IsTheErrorInPartsOfTheTeachersPower) {
  const auto loss =
      MakeTeacherLoss(FloatModel({"return (x + 1, [x], x.long())"}));
  EXPECT_FALSE(loss->counts_samples());
  const at::Tensor x = at::tensor({1.0F, 3.0F});
  const at::Tensor y = at::tensor({2.0F, 3.0F}).requires_grad_();
  const BatchLoss value =
      OrThrow(loss->Of(c10::ivalue::Tuple::create({y, x}), BatchOf(x), 0));
  // 1 off in 4, beside 4 + 16 + 1 + 9.
  EXPECT_FLOAT_EQ(value.loss.item<float>(), 1.0F / 30);
  EXPECT_TRUE(value.loss.requires_grad());
  EXPECT_EQ(value.samples, 0);
}

TEST(TeacherLossTest, RefusesOtherOutputs) {
  const auto loss = MakeTeacherLoss(FloatModel({"return x"}));
  const Batch batch = BatchOf(at::ones({2}));
  const auto refused = HasSubstr("do not return the same tensors of floats");
  EXPECT_THAT(MessageOf(loss->Of(at::ones({3}), batch, 0)), refused);
  EXPECT_THAT(MessageOf(loss->Of(at::ones({2}, at::kLong), batch, 0)), refused);
}

}  // namespace
}  // namespace ns
