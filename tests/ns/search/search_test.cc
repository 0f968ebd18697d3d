#include "ns/search/search.h"

#include <ATen/ATen.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/quantization/held_back_batches.h"
#include "ns/quantization/output_error.h"
#include "ns/quantization/quantize_model.h"
#include "tests/ns/quantization/quantizing.h"
#include "tests/testing/float_model.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::vector<std::string>& Net() {
  static const std::vector<std::string>& net = *new std::vector<std::string>{
      absl::StrCat("y = torch.relu(", ConvOf("x"), ")"),
      absl::StrCat("z = torch.relu(", ConvOf("y"), ") + y"),
      absl::StrCat("u = torch.max_pool2d(", ConvOf("z"), ", [2, 2])"),
      absl::StrCat("v = torch.hardtanh(", ConvOf("u"), ", 0.0, 60.0)"),
      absl::StrCat("return ", LinearOf("v.mean([2, 3])"))};
  return net;
}

class SearchTest : public ::testing::Test {
 protected:
  SearchTest() { at::manual_seed(5); }

  static std::vector<Batch> Batches(int count) {
    std::vector<at::Tensor> tensors;
    for (int i = 0; i < count; ++i) {
      tensors.push_back(at::randn({16, 3, 12, 12}));
    }
    return BatchesOf(tensors);
  }

  static SearchOptions WithBudget(double db) {
    SearchOptions options;
    options.quantize.bias_correction = BiasCorrection::kFast;
    options.budget_db = db;
    return options;
  }

  // What all layers in int8 have.
  double AllInt8Db() {
    const SearchResult result =
        OrThrow(Search(model_, reader_, WithBudget(0.1)));
    return result.verified[result.chosen].measured_db;
  }

  ModelGraph model_ = FloatModel(Net());
  std::vector<Batch> batches_ = Batches(6);
  BatchReader reader_ = BatchReader::FromBatches(batches_);
};

TEST_F(SearchTest, KeepsTheBudgetAndItsPromise) {
  const double budget = AllInt8Db() + 4;
  const SearchResult result =
      OrThrow(Search(model_, reader_, WithBudget(budget)));
  const VerifiedRecipe& chosen = result.verified[result.chosen];
  EXPECT_TRUE(chosen.keeps_budget);
  EXPECT_GE(chosen.measured_db, budget);
  EXPECT_NEAR(chosen.predicted_db, chosen.measured_db, 1);
  EXPECT_LE(result.float_passes, 3);
  EXPECT_LE(result.quantized_passes, 3);
  EXPECT_EQ(result.measured_batches, 6);
  // Some are float, and not all.
  EXPECT_THAT(chosen.choices, ::testing::Contains(0));
  EXPECT_THAT(chosen.choices, ::testing::Contains(1));
  EXPECT_GT(result.float_us, 0);
  EXPECT_GT(result.measured_us, 0);
  // What was measured is what the model does.
  const OutputErrors errors =
      OrThrow(MeasureOutputErrors(model_, result.quantized->model, reader_));
  EXPECT_NEAR(errors.outputs.at(0).sqnr_db, chosen.measured_db, 0.5);
}

TEST_F(SearchTest, TellsTheLayersSharesAndTheFrontier) {
  const SearchResult result = OrThrow(Search(model_, reader_, WithBudget(1)));
  ASSERT_GE(result.layers.size(), 5);
  double share = 0;
  for (const SearchedLayer& layer : result.layers) {
    share += layer.noise_share;
    ASSERT_EQ(layer.times_us.size(), 2);
    EXPECT_EQ(layer.times_us[0].first, "float");
    EXPECT_EQ(layer.times_us[1].first, "default");
    EXPECT_GT(layer.times_us[0].second, 0);
    EXPECT_EQ(layer.time_us,
              layer.times_us[layer.choice == "float" ? 0 : 1].second);
  }
  EXPECT_LE(share, 1 + 1e-9);
  EXPECT_GT(share, 0.5);
  for (size_t i = 1; i < result.pareto.size(); ++i) {
    EXPECT_GT(result.pareto[i].sqnr_db, result.pareto[i - 1].sqnr_db);
    EXPECT_GT(result.pareto[i].time_us, result.pareto[i - 1].time_us);
  }
  EXPECT_THAT(result.warnings, IsEmpty());
}

// The mapping makes the same model, when the same biases are corrected.
TEST_F(SearchTest, TheMappingMakesTheSameModel) {
  SearchOptions options = WithBudget(AllInt8Db() + 4);
  options.quantize.bias_correction = BiasCorrection::kNone;
  SearchResult result = OrThrow(Search(model_, reader_, options));
  QuantizeOptions quantize = options.quantize;
  quantize.mapping = result.mapping;
  QuantizedModel again = OrThrow(QuantizeModel(model_, batches_, quantize));
  for (const std::string& rule : again.report.unused_rules) {
    EXPECT_THAT(rule, HasSubstr("object type"));
  }
  for (const Batch& batch : batches_) {
    const at::Tensor x = batch.arguments[0].toTensor();
    EXPECT_TRUE(
        at::equal(Output(again.model, x), Output(result.quantized->model, x)));
  }
  ASSERT_EQ(again.report.layers.size(), result.quantized->report.layers.size());
  for (size_t i = 0; i < again.report.layers.size(); ++i) {
    EXPECT_EQ(again.report.layers[i].output->scale,
              result.quantized->report.layers[i].output->scale);
  }
}

TEST_F(SearchTest, ABudgetThatNoRecipeKeepsIsOutOfRange) {
  const absl::Status status = Search(model_, reader_, WithBudget(150)).status();
  EXPECT_TRUE(absl::IsOutOfRange(status)) << status;
  EXPECT_THAT(status.message(), HasSubstr("keeps 150 dB: the best has "));
  EXPECT_THAT(status.message(), HasSubstr("lower --budget"));
}

TEST_F(SearchTest, OneBatchIsEnoughWhichAWarningSays) {
  const SearchResult result = OrThrow(
      Search(model_, BatchReader::FromBatches(Batches(1)), WithBudget(1)));
  EXPECT_THAT(result.warnings, ElementsAre(HasSubstr("there is one batch")));
  EXPECT_EQ(result.measured_batches, 1);
}

TEST_F(SearchTest, WithoutBatchesThereIsNothingToMeasure) {
  EXPECT_THAT(Search(model_, BatchReader::FromBatches({}), WithBudget(30))
                  .status()
                  .message(),
              HasSubstr("no batches"));
}

// Labels that the float model has right, all of them.
TEST_F(SearchTest, LabelsAcceptWhatLosesNoMoreThanChance) {
  SearchOptions options = WithBudget(0);
  for (const Batch& batch : batches_) {
    options.labels.push_back(
        Output(model_, batch.arguments[0].toTensor()).argmax(1));
  }
  options.max_drop = 50;
  const SearchResult result = OrThrow(Search(model_, reader_, options));
  const VerifiedRecipe& chosen = result.verified[result.chosen];
  ASSERT_TRUE(chosen.top1.has_value());
  EXPECT_EQ(chosen.top1->samples, 6 * 16);
  EXPECT_EQ(chosen.top1->float_correct, 6 * 16);
  EXPECT_EQ(chosen.top1->won, 0);
  EXPECT_EQ(chosen.p_value, 1);
  EXPECT_EQ(result.verified.size(), 1);
  EXPECT_EQ(result.max_drop, 50);
  EXPECT_FALSE(result.budget_db.has_value());
  EXPECT_LE(result.float_passes, 3);
  EXPECT_LE(result.quantized_passes, 3);
}

TEST_F(SearchTest, RefusesLabelsThatDoNotFit) {
  SearchOptions options = WithBudget(0);
  options.labels.assign(6, at::zeros({16}, at::kLong));
  options.labels[4] = at::zeros({15}, at::kLong);
  EXPECT_THAT(Search(model_, reader_, options).status().message(),
              HasSubstr("batch 4: has 15 labels for 16 samples"));
  options.labels[4] = at::full({16}, 3, at::kLong);
  EXPECT_THAT(Search(model_, reader_, options).status().message(),
              HasSubstr("batch 4: has labels that are not from 0 to 2"));
}

// A candidate of 8 bits beside that of 7.
TEST_F(SearchTest, ChoosesAmongSeveralCandidates) {
  SearchOptions options = WithBudget(1);
  options.candidates = {"default", "int8-per-channel", "dynamic"};
  const double db = AllInt8Db();
  options.budget_db = db + 1.5;
  const SearchResult result = OrThrow(Search(model_, reader_, options));
  EXPECT_THAT(result.candidates, ElementsAre("default", "int8-per-channel"));
  EXPECT_TRUE(absl::c_any_of(result.layers, [](const SearchedLayer& layer) {
    return layer.choice == "int8-per-channel";
  }));
  EXPECT_TRUE(absl::c_any_of(result.skipped, [](const SkippedChoice& one) {
    return one.candidate == "dynamic";
  }));
  const VerifiedRecipe& chosen = result.verified[result.chosen];
  // There are 96 samples of 3 scores alone.
  EXPECT_NEAR(chosen.predicted_db, chosen.measured_db, 2);
  EXPECT_LE(result.float_passes, 3);
}

TEST_F(SearchTest, RefusesCandidatesThatThereAreNot) {
  const auto refused = [&](const std::vector<std::string>& candidates) {
    SearchOptions options = WithBudget(30);
    options.candidates = candidates;
    return std::string(Search(model_, reader_, options).status().message());
  };
  EXPECT_THAT(refused({"defaul"}), HasSubstr("unknown qconfig 'defaul'"));
  EXPECT_THAT(refused({"default", "default"}), HasSubstr("named twice"));
  EXPECT_THAT(refused({"float"}), HasSubstr("float is the only candidate"));
  EXPECT_THAT(refused({"fp16"}), HasSubstr("no candidate is left: fp16"));
}

TEST_F(SearchTest, AModelWithoutLayersIsRefused) {
  EXPECT_THAT(
      Search(FloatModel({"return torch.erf(x)"}), reader_, WithBudget(30))
          .status()
          .message(),
      HasSubstr("no layer has an int8 kernel"));
}

}  // namespace
}  // namespace ns
