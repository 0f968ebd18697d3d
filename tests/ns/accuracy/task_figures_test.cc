#include "ns/accuracy/task_figures.h"

#include <ATen/ATen.h>

#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"
#include "tests/testing/temporary_file.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string LabelsOf(const std::vector<at::Tensor>& tensors) {
  const std::string path = TemporaryPath("labels.pt");
  MakeModule("Holder",
             "def forward(self) -> List[Tensor]:\n"
             "  return self.batches\n",
             {{"batches", tensors}})
      .save(path);
  return path;
}

// A score that adds up labels.
std::string SumOfLabels() {
  const std::string path = TemporaryPath("score.pt");
  MakeModule("Sum",
             "def update(self, outputs: Tensor, labels: Tensor) -> None:\n"
             "  assert outputs.size(0) == labels.size(0), 'other sizes'\n"
             "  self.total = self.total + labels.sum()\n"
             "def compute(self) -> Tensor:\n"
             "  return self.total\n",
             {{"total", at::zeros({})}})
      .save(path);
  return path;
}

TaskFigureOptions Options(const std::vector<at::Tensor>& labels,
                          bool has_score) {
  TaskFigureOptions options;
  options.labels_path = LabelsOf(labels);
  if (has_score) {
    options.scores = {{"sum", SumOfLabels()}};
  }
  return options;
}

at::Tensor Classes(const std::vector<int64_t>& classes) {
  return at::tensor(classes, at::kLong);
}

TEST(TaskFiguresTest, SetsAllFigures) {
  TaskFigures figures = OrThrow(
      TaskFigures::Load(Options({Classes({0, 1}), Classes({2})}, true), 2));
  NS_ASSERT_OK(figures.Add(0, at::rand({2, 3}), at::rand({2, 3})));
  NS_ASSERT_OK(figures.Add(1, at::rand({1, 3}), at::rand({1, 3})));
  ComparisonResult result;
  NS_ASSERT_OK(figures.SetFigures(result));
  EXPECT_EQ(result.accuracy->samples, 3);
  EXPECT_EQ(result.agreement->samples, 3);
  ASSERT_EQ(result.scores.size(), 1U);
  EXPECT_EQ(result.scores[0].of_float, 3);
}

TEST(TaskFiguresTest, WithoutLabelsThereIsAgreementAlone) {
  TaskFigures figures = OrThrow(TaskFigures::Load({}, 1));
  NS_ASSERT_OK(figures.Add(0, at::rand({2, 3}), at::rand({2, 3})));
  ComparisonResult result;
  NS_ASSERT_OK(figures.SetFigures(result));
  EXPECT_TRUE(result.agreement.has_value());
  EXPECT_FALSE(result.accuracy.has_value());
  EXPECT_TRUE(result.scores.empty());
}

TEST(TaskFiguresTest, LabelsOfScoresNeedNotBeClasses) {
  const std::vector<at::Tensor> labels = {at::rand({2, 4})};
  EXPECT_THAT(MessageOf(TaskFigures::Load(Options(labels, false), 1)),
              HasSubstr("is no tensor of integers"));
  TaskFigures figures = OrThrow(TaskFigures::Load(Options(labels, true), 1));
  NS_ASSERT_OK(figures.Add(0, at::rand({2, 3}), at::rand({2, 3})));
  ComparisonResult result;
  NS_ASSERT_OK(figures.SetFigures(result));
  EXPECT_FALSE(result.accuracy.has_value());
  EXPECT_EQ(result.scores.size(), 1U);
}

// A mask for each image, whose outputs have a score for each pixel.
TEST(TaskFiguresTest, LabelsThatDoNotFitTheOutputsAreForScoresAlone) {
  const std::vector<at::Tensor> masks = {at::zeros({2, 4, 4}, at::kLong)};
  const at::Tensor outputs = at::rand({2, 3, 4, 4});
  TaskFigures alone = OrThrow(TaskFigures::Load(Options(masks, false), 1));
  EXPECT_THAT(std::string(alone.Add(0, outputs, outputs).message()),
              HasSubstr("labels.pt: batch 0: "));
  TaskFigures figures = OrThrow(TaskFigures::Load(Options(masks, true), 1));
  NS_ASSERT_OK(figures.Add(0, outputs, outputs));
  ComparisonResult result;
  NS_ASSERT_OK(figures.SetFigures(result));
  EXPECT_FALSE(result.accuracy.has_value());
  EXPECT_FALSE(result.agreement.has_value());
}

TEST(TaskFiguresTest, SelectedSamplesHaveTheirLabels) {
  TaskFigures figures = OrThrow(
      TaskFigures::Load(Options({Classes({0, 0}), Classes({0, 1, 2})}, true), 2,
                        SampleSelection({{1, 3, {1, 2}}})));
  at::Tensor quantized = at::zeros({2, 3});
  quantized[0][1] = 1;  // As its label.
  NS_ASSERT_OK(
      figures.Add(0, at::tensor({0, 1, 0, 0, 0, 1}, at::kFloat).reshape({2, 3}),
                  quantized));
  ComparisonResult result;
  NS_ASSERT_OK(figures.SetFigures(result));
  EXPECT_EQ(result.scores[0].of_quantized, 3);
  EXPECT_EQ(result.accuracy->samples, 2);
  EXPECT_EQ(result.accuracy->float_top1, 1);
  EXPECT_EQ(result.accuracy->quantized_top1, 0.5);
  ASSERT_EQ(result.accuracy->flips.size(), 1U);
  EXPECT_EQ(result.accuracy->flips[0].batch, 1);
  EXPECT_EQ(result.accuracy->flips[0].sample, 2);
}

TEST(TaskFiguresTest, ErrorsHaveTheNumbersOfWholeBatches) {
  const SampleSelection selection = {{{1, 3, {1, 2}}}};
  EXPECT_THAT(
      MessageOf(TaskFigures::Load(
          Options({Classes({0}), Classes({0, 1})}, false), 2, selection)),
      HasSubstr("batch 1: has 2 labels for 3 samples"));
  TaskFigures figures = OrThrow(TaskFigures::Load(
      Options({Classes({0}), Classes({0, 1})}, true), 2, selection));
  EXPECT_THAT(
      std::string(figures.Add(0, at::rand({3, 3}), at::rand({3, 3})).message()),
      StartsWith("batch 1: score 'sum' of the float model: "));
}

TEST(TaskFiguresTest, ScoresThatAreNanGetAWarning) {
  TaskFigureOptions options;
  options.scores = {{"nan", TemporaryPath("nan.pt")}};
  MakeModule("Nan",
             "def update(self, outputs: Tensor) -> None:\n  pass\n"
             "def compute(self) -> float:\n  return float('nan')\n")
      .save(options.scores[0].path);
  TaskFigures figures = OrThrow(TaskFigures::Load(options, 1));
  NS_ASSERT_OK(figures.Add(0, at::rand({2, 3}), at::rand({2, 3})));
  ComparisonResult result;
  NS_ASSERT_OK(figures.SetFigures(result));
  EXPECT_THAT(result.warnings,
              ElementsAre("score 'nan' is nan for both models"));
}

}  // namespace
}  // namespace ns
