#include "ns/accuracy/label_accuracy.h"

#include <ATen/ATen.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/base/byte_stream.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"
#include "tests/testing/temporary_file.h"

namespace ns {
namespace {

using ::testing::HasSubstr;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// A file of labels, a tensor for each batch.
std::string FileOf(const std::vector<at::Tensor>& tensors) {
  const std::string path = TemporaryPath("labels.pt");
  MakeModule("Holder",
             "def forward(self) -> List[Tensor]:\n"
             "  return self.batches\n",
             {{"batches", tensors}})
      .save(path);
  return path;
}

at::Tensor Labels(const std::vector<int64_t>& labels) {
  return at::tensor(labels, at::kLong);
}

LabelAccuracy Loaded(const std::vector<at::Tensor>& labels) {
  return OrThrow(LabelAccuracy::Load(
      FileOf(labels), static_cast<int64_t>(labels.size()), false));
}

at::Tensor Scores(const std::vector<float>& scores, int64_t classes) {
  return at::tensor(scores).reshape({-1, classes});
}

TEST(LabelAccuracyTest, CountsWhatBothModelsClassify) {
  LabelAccuracy accuracy = Loaded({Labels({0, 1, 1}), Labels({1})});
  NS_ASSERT_OK(accuracy.Add(0, Scores({2, 1, 3, 1, 0, 5}, 2),
                            Scores({1, 2, 4, 2, 0, 1}, 2)));
  NS_ASSERT_OK(accuracy.Add(1, Scores({3, 1}, 2), Scores({1, 1.25}, 2)));
  const Accuracy result = accuracy.Result();
  EXPECT_EQ(result.samples, 4);
  EXPECT_EQ(result.float_top1, 0.5);
  EXPECT_EQ(result.quantized_top1, 0.5);
  EXPECT_EQ(result.agreement, 0.5);
  EXPECT_EQ(result.difference, 0);
  EXPECT_EQ(result.lost, 1);
  EXPECT_EQ(result.won, 1);
  EXPECT_LT(result.lowest_difference, 0);
  EXPECT_GT(result.highest_difference, 0);
  ASSERT_EQ(result.flips.size(), 2U);
  const Flip& flip = result.flips[1];
  EXPECT_EQ(flip.batch, 1);
  EXPECT_EQ(flip.sample, 0);
  EXPECT_EQ(flip.label, 1);
  EXPECT_EQ(flip.float_class, 0);
  EXPECT_EQ(flip.quantized_class, 1);
  EXPECT_EQ(flip.float_margin, 2);
  EXPECT_EQ(flip.quantized_margin, 0.25);
}

TEST(LabelAccuracyTest, ScoresAreTheFirstTensorThatMayBeSome) {
  LabelAccuracy accuracy = Loaded({Labels({1})});
  const at::Tensor scores = Scores({1, 2}, 2);
  const at::Tensor quantized =
      at::quantize_per_tensor(scores, 0.5, 3, at::kQUInt8);
  NS_ASSERT_OK(accuracy.Add(
      0, c10::ivalue::Tuple::create({Labels({7}), scores, Scores({2, 1}, 2)}),
      c10::ivalue::Tuple::create({Labels({7}), quantized, scores})));
  EXPECT_EQ(accuracy.Result().float_top1, 1);
  EXPECT_EQ(accuracy.Result().quantized_top1, 1);
}

TEST(LabelAccuracyTest, EqualScoresAndNan) {
  LabelAccuracy accuracy = Loaded({Labels({0, 1})});
  NS_ASSERT_OK(
      accuracy.Add(0, Scores({1, 1, 0, kNan}, 2), Scores({0, 1, 2, 1}, 2)));
  const Accuracy result = accuracy.Result();
  EXPECT_EQ(result.float_top1, 0.5);
  ASSERT_EQ(result.flips.size(), 2U);
  EXPECT_EQ(result.flips[1].float_class, -1);
  EXPECT_EQ(result.flips[0].float_margin, 0);
  EXPECT_TRUE(std::isnan(result.flips[1].float_margin));
}

TEST(LabelAccuracyTest, KeepsTheFirstFlipsOnly) {
  constexpr int64_t kSamples = 700;
  const at::Tensor labels = at::zeros({kSamples}, at::kLong);
  LabelAccuracy accuracy = Loaded({labels, labels});
  const at::Tensor zero = Scores({1, 0}, 2).expand({kSamples, 2});
  for (int64_t batch = 0; batch < 2; ++batch) {
    NS_ASSERT_OK(accuracy.Add(batch, zero, zero.flip(1)));
  }
  const Accuracy result = accuracy.Result();
  EXPECT_EQ(result.flipped, 2 * kSamples);
  ASSERT_EQ(result.flips.size(), LabelAccuracy::kMostFlips);
  EXPECT_EQ(result.flips.back().batch, 1);
  EXPECT_EQ(result.flips.back().sample, 299);
}

TEST(LabelAccuracyTest, NamesFileAndBatchOfWhatDoesNotFit) {
  const auto error = [](const at::Tensor& labels, const c10::IValue& of_float,
                        const c10::IValue& of_quantized) {
    LabelAccuracy accuracy = Loaded({Labels({0}), labels});
    return std::string(accuracy.Add(1, of_float, of_quantized).message());
  };
  const at::Tensor scores = at::zeros({2, 3});
  EXPECT_THAT(error(Labels({0, 1, 1}), scores, scores),
              HasSubstr("labels.pt: batch 1: has 3 labels for 2 samples"));
  EXPECT_THAT(error(Labels({0, 3}), scores, scores),
              HasSubstr("batch 1: has labels that are not from 0 to 2"));
  EXPECT_THAT(error(Labels({0, -100}), scores, scores),
              HasSubstr("not from 0 to 2"));
  EXPECT_THAT(error(Labels({0, 1}), scores, at::zeros({2, 4})),
              HasSubstr("scores [2, 3] and the quantized one [2, 4]"));
  EXPECT_THAT(error(Labels({0, 1}), at::zeros({2, 3, 4}), scores),
              HasSubstr("the float model returns [2, 3, 4], and labels need "
                        "scores [samples, classes]"));
  EXPECT_THAT(error(Labels({0, 1}), scores, Labels({0, 1})),
              HasSubstr("the quantized model returns no scores"));
}

// Shares of no samples would be nan.
TEST(LabelAccuracyTest, SomeBatchHasALabel) {
  const at::Tensor empty = at::zeros({0}, at::kLong);
  EXPECT_THAT(
      MessageOf(LabelAccuracy::Load(FileOf({empty, empty}), 2, false)),
      HasSubstr(
          "labels.pt: has no label in any batch; save one for each sample"));
  LabelAccuracy accuracy = Loaded({empty, Labels({1})});
  NS_ASSERT_OK(accuracy.Add(0, at::zeros({0, 2}), at::zeros({0, 2})));
  NS_ASSERT_OK(accuracy.Add(1, Scores({1, 2}, 2), Scores({2, 1}, 2)));
  EXPECT_EQ(accuracy.Result().float_top1, 1);
  EXPECT_EQ(accuracy.Result().quantized_top1, 0);
}

TEST(LabelAccuracyTest, ThereAreAsManyLabelsAsBatches) {
  const std::string path = FileOf({Labels({0}), Labels({1})});
  EXPECT_THAT(MessageOf(LabelAccuracy::Load(path, 3, true)),
              HasSubstr("has labels of 2 batches, and there are 3"));
  EXPECT_THAT(MessageOf(LabelAccuracy::Load(path, 1, false)),
              HasSubstr("has labels of 2 batches, and there are 1"));
  NS_EXPECT_OK(LabelAccuracy::Load(path, 1, true).status());
  EXPECT_THAT(MessageOf(LabelAccuracy::Load(FileOf({at::rand({2})}), 1, true)),
              HasSubstr("batch 0 is no tensor of integers"));
}

TEST(LabelAccuracyTest, MergedFlipsAreTheFirstOnes) {
  constexpr int64_t kBatches = 7;
  constexpr int64_t kSamples = 300;
  std::vector<at::Tensor> labels;
  std::vector<at::Tensor> x;
  std::vector<at::Tensor> y;
  for (int64_t i = 0; i < kBatches; ++i) {
    labels.push_back(at::randint(0, 3, {kSamples}, at::kLong));
    x.push_back(at::randn({kSamples, 3}));
    y.push_back(at::randn({kSamples, 3}));
  }
  LabelAccuracy whole = Loaded(labels);
  for (int64_t i = 0; i < kBatches; ++i) {
    NS_ASSERT_OK(whole.Add(i, x[i], y[i]));
  }
  LabelAccuracy merged = Loaded(labels);
  for (const int64_t part : {2, 0, 1}) {
    LabelAccuracy accuracy = Loaded(labels);
    for (int64_t i = part; i < kBatches; i += 3) {
      NS_ASSERT_OK(accuracy.Add(i, x[i], y[i]));
    }
    ByteWriter writer;
    accuracy.Save(writer);
    ByteReader reader(writer.bytes());
    merged.Merge(reader);
    EXPECT_TRUE(reader.AtEnd());
  }
  const Accuracy expected = whole.Result();
  const Accuracy result = merged.Result();
  EXPECT_EQ(result.samples, kBatches * kSamples);
  EXPECT_EQ(result.flipped, expected.flipped);
  EXPECT_EQ(result.lowest_difference, expected.lowest_difference);
  ASSERT_EQ(expected.flips.size(), LabelAccuracy::kMostFlips);
  ASSERT_EQ(result.flips.size(), LabelAccuracy::kMostFlips);
  for (size_t i = 0; i < result.flips.size(); ++i) {
    EXPECT_EQ(result.flips[i].batch, expected.flips[i].batch);
    EXPECT_EQ(result.flips[i].sample, expected.flips[i].sample);
    EXPECT_EQ(result.flips[i].float_margin, expected.flips[i].float_margin);
  }
}

}  // namespace
}  // namespace ns
