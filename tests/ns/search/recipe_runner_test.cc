#include "ns/search/recipe_runner.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/batches/batch_reader.h"
#include "ns/quantization/model/copy_for_target.h"
#include "ns/quantization/model/quantize_model.h"
#include "ns/search/calibrated_values.h"
#include "ns/search/measured_outputs.h"
#include "ns/search/search_candidates.h"
#include "ns/search/search_space.h"
#include "tests/ns/quantization/quantizing.h"
#include "tests/testing/float_model.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class RecipeRunnerTest : public ::testing::Test {
 protected:
  // Calibrates with observers of this kind.
  void Prepare(ObserverKind observer = ObserverKind::kMinMax) {
    options_.observer = observer;
    std::vector<SkippedChoice> skipped;
    space_ = std::make_unique<SearchSpace>(OrThrow(SearchSpace::Create(
        model_, options_,
        OrThrow(SearchCandidates(model_, options_, {}, skipped)))));
    values_ = std::make_unique<CalibratedValues>(
        OrThrow(CalibratedValues::Create(*space_)));
    NS_ASSERT_OK(values_->Calibrate(reader_));
    runner_ =
        std::make_unique<RecipeRunner>(model_, reader_, *space_, *values_);
  }

  RecipeChoices All(int choice) const {
    return RecipeChoices(space_->layers().size(), choice);
  }

  // The outputs of the float model.
  MeasuredOutputs OutputsOfFloat() {
    MeasuredOutputs measured(/*has_labels=*/false);
    for (size_t i = 0; i < batches_.size(); ++i) {
      measured.AddFloat(
          static_cast<int64_t>(i),
          {{"output", Output(model_, batches_[i].arguments[0].toTensor())}});
    }
    return measured;
  }

  // Holds the model of `choices` to what QuantizeModel makes.
  void ExpectMadeAsByQuantizing(const RecipeChoices& choices) {
    QuantizedModel ours = OrThrow(runner_->ModelOf(choices, {}));
    QuantizedModel theirs =
        OrThrow(QuantizeModel(model_, batches_, space_->OptionsOf(choices)));
    for (const Batch& batch : batches_) {
      const at::Tensor x = batch.arguments[0].toTensor();
      EXPECT_TRUE(Output(ours.model, x).equal(Output(theirs.model, x)));
    }
  }

  // One scale fits both inputs of the concatenation.
  ModelGraph model_ =
      FloatModel({absl::StrCat("y = torch.relu(", ConvOf("x"), ")"),
                  absl::StrCat("z = torch.cat([", ConvOf("x"), ", y], 2)"),
                  absl::StrCat("return ", ConvOf("z"))});
  const std::vector<Batch> batches_ =
      BatchesOf({at::randn({2, 3, 6, 6}), at::randn({2, 3, 6, 6}) * 2,
                 at::randn({2, 3, 6, 6})});
  const BatchReader reader_ = BatchReader::FromBatches(batches_);
  QuantizeOptions options_;
  std::unique_ptr<SearchSpace> space_;
  std::unique_ptr<CalibratedValues> values_;
  std::unique_ptr<RecipeRunner> runner_;
};

// Without a run: the observers of a recipe are put together.
TEST_F(RecipeRunnerTest, MakesWhatQuantizingByTheMappingMakes) {
  ASSERT_NO_FATAL_FAILURE(Prepare());
  RecipeChoices mixed = All(1);
  mixed[0] = 0;
  for (const RecipeChoices& choices : {All(1), mixed}) {
    ExpectMadeAsByQuantizing(choices);
  }
  EXPECT_EQ(runner_->float_passes(), 0);
}

TEST_F(RecipeRunnerTest, GivesUnbalancedInputsRangesOfTheirOwn) {
  model_ =
      FloatModel({absl::StrCat("y = torch.relu(", ConvOf("x"), ")"),
                  absl::StrCat("z = torch.cat([", ConvOf("x * 8"), ", y], 2)"),
                  absl::StrCat("return ", ConvOf("z"))});
  ASSERT_NO_FATAL_FAILURE(Prepare());
  ExpectMadeAsByQuantizing(All(1));
  EXPECT_EQ(runner_->float_passes(), 1);
}

// PyTorch's histogram depends on the order of values: where some of those that
// share one are float, what it finds is not known.
TEST_F(RecipeRunnerTest, RunsTheFloatModelWhereOnlyThatTells) {
  ASSERT_NO_FATAL_FAILURE(Prepare(ObserverKind::kHistogram));
  int64_t unknown = 0;
  for (size_t bits = 1; bits < (size_t{1} << space_->layers().size()); ++bits) {
    RecipeChoices choices;
    for (size_t i = 0; i < space_->layers().size(); ++i) {
      choices.push_back((bits >> i) & 1);
    }
    unknown += values_->Knows(space_->PlanOf(choices)) ? 0 : 1;
    NS_ASSERT_OK(runner_->ModelOf(choices, {}).status());
    EXPECT_EQ(runner_->float_passes(), unknown);
  }
  EXPECT_EQ(runner_->float_passes(), unknown);
}

TEST_F(RecipeRunnerTest, MeasuresTheErrorFromTheFirstBatchOn) {
  ASSERT_NO_FATAL_FAILURE(Prepare());
  MeasuredOutputs measured = OutputsOfFloat();
  QuantizedModel quantized = OrThrow(runner_->ModelOf(All(1), {}));
  ModelGraph target =
      OrThrow(CopyForTarget(quantized.model, space_->options()));
  for (const int64_t first : {0, 2}) {
    double error = 0;
    double power = 0;
    for (size_t i = first; i < batches_.size(); ++i) {
      const at::Tensor x = batches_[i].arguments[0].toTensor();
      const at::Tensor y = Output(model_, x).to(at::kDouble);
      error +=
          (Output(target, x).to(at::kDouble) - y).square().sum().item<double>();
      power += y.square().sum().item<double>();
    }
    int64_t calls = 0;
    const MeasuredRecipe recipe = OrThrow(
        runner_->Measure(All(1), {}, first, measured, [&] { ++calls; }));
    EXPECT_EQ(calls, reader_.size() - first);
    EXPECT_GT(error, 0);
    EXPECT_NEAR(recipe.noise / (error / power), 1, 1e-3) << first;
    EXPECT_EQ(recipe.mismatch, "");
  }
}

TEST_F(RecipeRunnerTest, OutputsOfOtherShapesAreAMismatch) {
  ASSERT_NO_FATAL_FAILURE(Prepare());
  MeasuredOutputs measured(/*has_labels=*/false);
  for (int64_t i = 0; i < reader_.size(); ++i) {
    measured.AddFloat(i, {{"output", at::ones({1})}});
  }
  const MeasuredRecipe recipe =
      OrThrow(runner_->Measure(All(1), {}, 0, measured, [] {}));
  EXPECT_THAT(recipe.mismatch,
              AllOf(StartsWith("batch "), HasSubstr("another shape")));
  EXPECT_TRUE(std::isnan(recipe.noise));
}

TEST_F(RecipeRunnerTest, NamesTheBatchThatTheModelFailsOn) {
  ASSERT_NO_FATAL_FAILURE(Prepare());
  std::vector<Batch> bad = batches_;
  bad[1].arguments = {at::ones({2, 5, 6, 6})};
  const BatchReader reader = BatchReader::FromBatches(bad);
  MeasuredOutputs measured = OutputsOfFloat();
  RecipeRunner runner(model_, reader, *space_, *values_);
  EXPECT_THAT(MessageOf(runner.Measure(All(1), {}, 0, measured, [] {})),
              StartsWith("batch 1: the float model, "));
}

}  // namespace
}  // namespace ns
