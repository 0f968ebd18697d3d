#include "ns/compare/compare.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/api/module.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/batches/batch.h"
#include "ns/quantization/quantize.h"
#include "ns/report/json/json_report.h"
#include "ns/suite/compare_models.h"
#include "tests/testing/float_model.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"
#include "tests/testing/temporary_file.h"

namespace ns {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

BatchReader Batches(int64_t count) {
  at::manual_seed(3);
  std::vector<Batch> batches;
  for (int64_t i = 0; i < count; ++i) {
    batches.emplace_back().arguments = {at::randn({4, 3})};
  }
  return BatchReader::FromBatches(batches);
}

// Two linear layers, saved, and what Quantize makes of them.
ModelPairOptions SavedPair() {
  const ModelGraph model =
      FloatModel({absl::StrCat("y = torch.relu(", LinearOf("x"), ")"),
                  absl::StrCat("return ", LinearOf("y"))});
  const QuantizeResult made = OrThrow(Quantize(model, Batches(4), {}));
  ModelPairOptions pair;
  pair.float_path = TemporaryPath("float.pt");
  pair.quantized_path = TemporaryPath("quantized.pt");
  NS_EXPECT_OK(model.Save(pair.float_path));
  NS_EXPECT_OK(made.quantized.Save(pair.quantized_path));
  return pair;
}

CompareFilesOptions Options() {
  CompareFilesOptions options;
  options.models = SavedPair();
  options.compare.shadows = true;
  return options;
}

TEST(CompareTest, LayersAreComparedAsByCompareModels) {
  const CompareFilesOptions options = Options();
  ComparisonResult of_files = OrThrow(Compare(Batches(3), options));
  EXPECT_TRUE(of_files.agreement.has_value());
  of_files.agreement.reset();
  ASSERT_THAT(of_files.layers, Not(IsEmpty()));
  ComparisonResult of_models;
  NS_ASSERT_OK(
      WithModels(options.models, [&](ModelPair& models) -> absl::Status {
        of_models =
            OrThrow(CompareModels(models.float_model, models.quantized_model,
                                  Batches(3), options.compare));
        return absl::OkStatus();
      }));
  EXPECT_EQ(of_files.float_path, options.models.float_path);
  of_models.float_path = of_files.float_path;
  of_models.quantized_path = of_files.quantized_path;
  EXPECT_EQ(ToJson(of_files), ToJson(of_models));
}

TEST(CompareTest, OutputsAreComparedBesideLayersOrAlone) {
  CompareFilesOptions options = Options();
  options.modules.outputs = true;
  int parts = 0;
  int64_t steps = 0;
  options.progress = [&] {
    ++parts;
    return [&](int64_t, int64_t total) {
      ++steps;
      EXPECT_EQ(total, 3);
    };
  };
  const ComparisonResult both = OrThrow(Compare(Batches(3), options));
  EXPECT_THAT(both.layers, Not(IsEmpty()));
  ASSERT_TRUE(both.outputs.has_value());
  EXPECT_EQ(both.outputs->back().name, "output");
  EXPECT_EQ(parts, 2);
  EXPECT_EQ(steps, 6);

  options.compare.weights = options.compare.activations = false;
  options.compare.shadows = false;
  EXPECT_FALSE(RunsLayers(options.compare));
  const ComparisonResult alone = OrThrow(Compare(Batches(3), options));
  EXPECT_THAT(alone.layers, IsEmpty());
  EXPECT_EQ(alone.matching, "aligned");
  EXPECT_EQ(alone.batches, 3);
  EXPECT_EQ(parts, 3);
}

TEST(CompareTest, TheCallerWordsNotices) {
  CompareFilesOptions options = Options();
  options.compare.is_settled = [](const ComparisonResult&, int64_t) {
    return true;
  };
  EXPECT_THAT(OrThrow(Compare(Batches(3), options)).warnings,
              Contains(HasSubstr("settled after 1 of 3 batches")));
  options.word = [](const CompareNotice& notice) {
    EXPECT_EQ(notice.kind, CompareNotice::Kind::kSettledEarly);
    return absl::StrCat("stopped at ", notice.done);
  };
  EXPECT_THAT(OrThrow(Compare(Batches(3), options)).warnings,
              Contains("stopped at 1"));
}

TEST(CompareTest, ValuesThatDoNotFitTheirBudgetAreTold) {
  CompareFilesOptions options = Options();
  options.save.directory = TemporaryPath("values");
  options.save.budget_bytes = 1;
  EXPECT_THAT(OrThrow(Compare(Batches(2), options)).warnings,
              Contains(HasSubstr("did not fit into the budget; 0 bytes")));
}

TEST(CompareTest, GraphsComeWithTheFilesThatWereRead) {
  CompareFilesOptions options = Options();
  options.compare.graphs = true;
  options.input_paths = {options.models.float_path};
  const ComparisonResult result = OrThrow(Compare(Batches(1), options));
  ASSERT_THAT(result.files, SizeIs(3));
  EXPECT_EQ(result.files[0].path, options.models.float_path);
  EXPECT_EQ(result.files[2].sha256, result.files[0].sha256);
  EXPECT_NE(result.files[1].sha256, result.files[0].sha256);
  EXPECT_THAT(result.engine, Not(IsEmpty()));
}

TEST(CompareTest, WarnsOnceOfAFileInTrainingMode) {
  torch::jit::Module module =
      MakeModule("nets.Net",
                 "def forward(self, x: Tensor) -> Tensor:\n"
                 "    return torch.dropout(x, 0.5, self.training)\n");
  module.train();
  CompareFilesOptions options;
  options.models.float_path = options.models.quantized_path =
      TemporaryPath("training.pt");
  module.save(options.models.float_path);
  options.compare.weights = options.compare.activations = false;
  options.modules.outputs = true;
  EXPECT_THAT(OrThrow(Compare(Batches(1), options)).warnings,
              ElementsAre(HasSubstr("training mode")));
}

TEST(CompareTest, WhatCannotBeLoadedIsAnError) {
  CompareFilesOptions options = Options();
  options.metrics = {{"mae", "/nowhere/mae.pt"}};
  EXPECT_THAT(MessageOf(Compare(Batches(1), options)),
              StartsWith("/nowhere/mae.pt: "));
  options.metrics.clear();
  options.task.labels_path = "/nowhere/labels.pt";
  EXPECT_THAT(MessageOf(Compare(Batches(1), options)),
              StartsWith("/nowhere/labels.pt: "));
  options.task.labels_path.clear();
  options.task.scores = {{"map", "/nowhere/map.pt"}};
  EXPECT_THAT(MessageOf(Compare(Batches(1), options)),
              StartsWith("score 'map': /nowhere/map.pt: "));
  options.task.scores.clear();
  options.models.quantized_path = "/nowhere/q.pt";
  EXPECT_THAT(MessageOf(Compare(Batches(1), options)),
              StartsWith("/nowhere/q.pt: "));
}

TEST(CompareTest, CheckMatchesEndsTheComparison) {
  CompareFilesOptions options = Options();
  options.compare.check_matches = [](const ComparisonResult& result) {
    return result.layers.empty()
               ? absl::OkStatus()
               : absl::InvalidArgumentError("not these layers");
  };
  EXPECT_EQ(MessageOf(Compare(Batches(1), options)), "not these layers");
}

TEST(CompareTest, ASecondDataSetStandsBesideTheFirst) {
  CompareFilesOptions options = Options();
  const BatchReader second = Batches(2);
  options.second = {&second, {"second.pt"}};
  const ComparisonResult result = OrThrow(Compare(Batches(3), options));
  EXPECT_EQ(result.batches, 3);
  ASSERT_TRUE(result.second_data.has_value());
  EXPECT_EQ(result.second_data->batches, 2);
  EXPECT_TRUE(result.layers.back().second_data.has_value());
}

TEST(CompareTest, ComparesSomeSamplesAlone) {
  CompareFilesOptions options = Options();
  const ComparisonResult all = OrThrow(Compare(Batches(3), options));
  EXPECT_EQ(all.agreement->samples, 12);
  EXPECT_FALSE(all.samples.has_value());
  options.samples = OrThrow(ParseSampleChoice("9,4"));
  const ComparisonResult some = OrThrow(Compare(Batches(3), options));
  EXPECT_EQ(some.batches, 2);
  EXPECT_EQ(some.agreement->samples, 2);
  ASSERT_TRUE(some.samples.has_value());
  EXPECT_EQ(some.samples->chosen, "listed");
  EXPECT_THAT(some.samples->samples, ElementsAre(4, 9));
  EXPECT_EQ(some.samples->total, 12);
  options.samples = OrThrow(ParseSampleChoice("12"));
  EXPECT_EQ(MessageOf(Compare(Batches(3), options)),
            "--samples: there is no sample 12; the inputs have 12, counted "
            "from 0");
}

TEST(CompareTest, TheWorstSamplesHaveTheLowestSqnr) {
  CompareFilesOptions options = Options();
  options.compare.exact = true;
  std::vector<double> db;
  for (int sample = 0; sample < 8; ++sample) {
    options.samples = OrThrow(ParseSampleChoice(absl::StrCat(sample)));
    db.push_back(OrThrow(Compare(Batches(2), options))
                     .model_outputs.at(0)
                     .figures.error.sqnr_db);
  }
  options.samples = OrThrow(ParseSampleChoice("worst:1"));
  const ComparisonResult worst = OrThrow(Compare(Batches(2), options));
  const auto lowest = std::min_element(db.begin(), db.end());
  EXPECT_THAT(worst.samples->samples, ElementsAre(lowest - db.begin()));
  EXPECT_EQ(worst.samples->chosen, "worst:1");
}

// Of no error, no sample flips.
TEST(CompareTest, NoFlippedSampleIsAnError) {
  CompareFilesOptions options = Options();
  options.models.quantized_path = options.models.float_path;
  options.samples = OrThrow(ParseSampleChoice("flipped"));
  EXPECT_THAT(MessageOf(Compare(Batches(2), options)),
              StartsWith("--samples=flipped: no sample flips, both models put "
                         "all 8 samples into the same classes"));
}

TEST(CompareTest, ModulesHaveTheSamplesToo) {
  CompareFilesOptions options = Options();
  options.compare.weights = options.compare.activations =
      options.compare.shadows = false;
  options.modules.outputs = true;
  options.samples = OrThrow(ParseSampleChoice("5"));
  const ComparisonResult result = OrThrow(Compare(Batches(2), options));
  EXPECT_EQ(result.samples->samples.size(), 1U);
  EXPECT_EQ(result.outputs->back().figures.shape.at(0), 1);
}

}  // namespace
}  // namespace ns
