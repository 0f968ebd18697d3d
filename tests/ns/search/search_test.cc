#include "ns/search/search.h"

#include <ATen/ATen.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/accuracy/paired_test.h"
#include "ns/quantization/accurate/held_back_batches.h"
#include "ns/quantization/model/output_error.h"
#include "ns/quantization/model/quantize_model.h"
#include "ns/search/recipe_search.h"
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
  SearchTest() {
    at::manual_seed(5);
    batches_ = Batches(6);
    reader_ = BatchReader::FromBatches(batches_);
  }

  static std::vector<Batch> Batches(int count) {
    std::vector<at::Tensor> tensors;
    for (int i = 0; i < count; ++i) {
      tensors.push_back(at::randn({16, 3, 12, 12}));
    }
    return BatchesOf(tensors);
  }

  // Times that are the same in each run: in int8, layers take half as long, or
  // `part` of the time in float.
  static LayerTimer Timer(double part = 0.5) {
    return [part](const SearchSpace& space, const CalibratedValues&,
                  const Batch&) -> absl::StatusOr<LayerTimes> {
      LayerTimes times;
      for (size_t i = 0; i < space.subgraphs().size(); ++i) {
        times.in_float.push_back(10 + static_cast<double>(i));
      }
      times.in_int8.assign(space.candidates().size(), times.in_float);
      for (std::vector<double>& candidate : times.in_int8) {
        for (double& time : candidate) {
          time *= part;
        }
      }
      times.other = 3;
      return times;
    };
  }

  static SearchOptions WithBudget(double db) {
    SearchOptions options;
    options.quantize.methods.bias_correction = BiasCorrection::kFast;
    options.budget_db = db;
    options.time_layers = Timer();
    return options;
  }

  // The classes that the float model gives.
  std::vector<at::Tensor> OwnLabels() {
    std::vector<at::Tensor> labels;
    for (const Batch& batch : batches_) {
      labels.push_back(Output(model_, batch.arguments[0].toTensor()).argmax(1));
    }
    return labels;
  }

  // The mapping of `result` makes the same model, also without a list of layers
  // to keep.
  void ExpectSameByMapping(SearchResult& result, QuantizeOptions options) {
    options.mapping = result.mapping;
    options.keep.clear();
    QuantizedModel again = OrThrow(QuantizeModel(model_, batches_, options));
    for (const Batch& batch : batches_) {
      const at::Tensor x = batch.arguments[0].toTensor();
      EXPECT_TRUE(at::equal(Output(again.model, x),
                            Output(result.quantized->model, x)));
    }
  }

  // What all layers in int8 have.
  double AllInt8Db() {
    const SearchResult result =
        OrThrow(Search(model_, reader_, WithBudget(0.1)));
    return result.verified[result.chosen].measured_db;
  }

  ModelGraph model_ = FloatModel(Net());
  // Drawn once the generator has its seed.
  std::vector<Batch> batches_;
  BatchReader reader_ = BatchReader::FromBatches({});
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
  for (size_t i = 1; i < result.verified.size(); ++i) {
    EXPECT_NE(result.verified[i].choices, result.verified[i - 1].choices);
  }
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
  EXPECT_NEAR(share + result.rest.noise_share, 1, 1e-9);
  double time = result.rest.time_us;
  for (const SearchedLayer& layer : result.layers) {
    time += layer.time_us;
  }
  EXPECT_NEAR(time, result.verified[result.chosen].predicted_us, 1e-9);
  EXPECT_GE(result.rest.time_us, 3);
  for (size_t i = 1; i < result.pareto.size(); ++i) {
    EXPECT_GT(result.pareto[i].sqnr_db, result.pareto[i - 1].sqnr_db);
    EXPECT_GT(result.pareto[i].time_us, result.pareto[i - 1].time_us);
  }
  EXPECT_THAT(result.warnings, IsEmpty());
}

// The mapping makes the same model, when the same biases are corrected.
TEST_F(SearchTest, TheMappingMakesTheSameModel) {
  SearchOptions options = WithBudget(AllInt8Db() + 4);
  options.quantize.methods.bias_correction = BiasCorrection::kNone;
  SearchResult result = OrThrow(Search(model_, reader_, options));
  QuantizeOptions quantize = options.quantize;
  quantize.mapping = result.mapping;
  const QuantizedModel again =
      OrThrow(QuantizeModel(model_, batches_, quantize));
  for (const std::string& rule : again.report.unused_rules) {
    EXPECT_THAT(rule, HasSubstr("object type"));
  }
  ExpectSameByMapping(result, options.quantize);
  ASSERT_EQ(again.report.layers.size(), result.quantized->report.layers.size());
  for (size_t i = 0; i < again.report.layers.size(); ++i) {
    EXPECT_EQ(again.report.layers[i].output->scale,
              result.quantized->report.layers[i].output->scale);
  }
}

TEST_F(SearchTest, LayersToKeepAreRulesOfTheMapping) {
  SearchOptions options = WithBudget(1);
  options.quantize.methods.bias_correction = BiasCorrection::kNone;
  options.quantize.keep = {"conv2d@1", "linear"};
  SearchResult result = OrThrow(Search(model_, reader_, options));
  for (const SearchedLayer& layer : result.layers) {
    EXPECT_NE(layer.name, "conv2d@1");
    EXPECT_NE(layer.name, "linear");
  }
  for (const LayerQuantization& layer : result.quantized->report.layers) {
    EXPECT_NE(layer.name, "linear");
  }
  ExpectSameByMapping(result, options.quantize);
}

// The quantized sigmoid gives zeros.
TEST_F(SearchTest, NanNeverKeepsABudget) {
  const ModelGraph model =
      FloatModel({absl::StrCat("s = torch.sigmoid(", LinearOf("x"), ")"),
                  "return x.masked_fill(s == 0.0, float('nan'))"});
  std::vector<at::Tensor> tensors;
  for (int i = 0; i < 3; ++i) {
    tensors.push_back(at::randn({16, 3}) * 8);
  }
  SearchResult result = OrThrow(Search(
      model, BatchReader::FromBatches(BatchesOf(tensors)), WithBudget(30)));
  ASSERT_GE(result.verified.size(), 2);
  EXPECT_TRUE(std::isnan(result.verified.front().measured_db));
  EXPECT_FALSE(result.verified.front().keeps_budget);
  EXPECT_TRUE(result.verified[result.chosen].keeps_budget);
  for (const at::Tensor& x : tensors) {
    EXPECT_FALSE(Output(result.quantized->model, x).isnan().any().item<bool>());
  }
}

// Of which elements there are, rounding decides.
TEST_F(SearchTest, OutputsOfAnotherShapeKeepNoBudget) {
  const ModelGraph model =
      FloatModel({absl::StrCat("y = ", LinearOf("x")), "return y[y > 0.1]"});
  const absl::Status status =
      Search(model, BatchReader::FromBatches(BatchesOf({at::randn({256, 3})})),
             WithBudget(10))
          .status();
  EXPECT_TRUE(absl::IsOutOfRange(status)) << status;
  EXPECT_THAT(status.message(), HasSubstr("another shape"));
}

TEST_F(SearchTest, TakesEmptyAndHalfBatches) {
  const ModelGraph model =
      FloatModel({absl::StrCat("y = torch.relu(", ConvOf("x.float()"), ")"),
                  "return y.half()"});
  const at::Tensor x = at::randn({8, 3, 6, 6}, at::kFloat);
  const SearchResult result =
      OrThrow(Search(model,
                     BatchReader::FromBatches(BatchesOf(
                         {at::zeros({0, 3, 6, 6}), x.to(at::kHalf), x})),
                     WithBudget(10)));
  EXPECT_GE(result.verified[result.chosen].measured_db, 10);
  EXPECT_THAT(
      Search(model,
             BatchReader::FromBatches(BatchesOf({at::zeros({0, 3, 6, 6})})),
             WithBudget(10))
          .status()
          .message(),
      HasSubstr("all batches are empty"));
}

TEST_F(SearchTest, SamplesMayBeGivenByKeyword) {
  std::vector<Batch> batches(3);
  for (Batch& batch : batches) {
    batch.keywords["x"] = at::randn({512, 3});
  }
  SearchOptions options = WithBudget(1);
  int64_t most = 0;
  options.progress = [&](int64_t, int64_t total) { most = total; };
  OrThrow(Search(FloatModel({absl::StrCat("return ", LinearOf("x"))}),
                 BatchReader::FromBatches(batches), options));
  // To calibrate, to run twice and backwards for two sums, and to verify.
  EXPECT_EQ(most,
            3 + 3 * (2 + 2 * 2) + 3 * (kVerifications + kFrontierMeasurements));
}

// Values of the concatenation share an observer whose answer depends on their
// order; no recipe needs a run of its own for it.
TEST_F(SearchTest, ObserversThatDependOnTheOrderTakeNoFurtherRun) {
  model_ =
      FloatModel({absl::StrCat("y = torch.relu(", ConvOf("x"), ")"),
                  absl::StrCat("z = torch.relu(", ConvOf("y"), ")"),
                  absl::StrCat("return ", ConvOf("torch.cat([y, z], 2)"))});
  for (const ObserverKind kind :
       {ObserverKind::kMovingAverageMinMax, ObserverKind::kHistogram}) {
    SearchOptions options = WithBudget(5);
    options.quantize.observer = kind;
    options.quantize.methods.bias_correction = BiasCorrection::kNone;
    SearchResult result = OrThrow(Search(model_, reader_, options));
    EXPECT_LE(result.float_passes, 3);
    EXPECT_NEAR(result.verified.front().predicted_db,
                result.verified.front().measured_db, 1.5);
    ExpectSameByMapping(result, options.quantize);
  }
}

TEST_F(SearchTest, RefusesTimesOfAnotherModel) {
  SearchOptions options = WithBudget(1);
  options.time_layers = [](const SearchSpace&, const CalibratedValues&,
                           const Batch&) -> absl::StatusOr<LayerTimes> {
    return LayerTimes();
  };
  EXPECT_THAT(Search(model_, reader_, options).status().message(),
              HasSubstr("of another model"));
}

TEST_F(SearchTest, EntriesToKeepThatAreForNothingAreNamed) {
  SearchOptions options = WithBudget(1);
  options.quantize.keep = {"convolution*"};
  const SearchResult result = OrThrow(Search(model_, reader_, options));
  EXPECT_THAT(result.warnings,
              ElementsAre("keep 'convolution*' is for no layer"));
}

TEST_F(SearchTest, NamesToKeepThatNoLayerHasAreRefused) {
  SearchOptions options = WithBudget(1);
  options.quantize.keep = {"no.such.layer"};
  EXPECT_THAT(Search(model_, reader_, options).status().message(),
              HasSubstr("no layer is called 'no.such.layer'"));
}

TEST_F(SearchTest, WhereFloatIsFastestItSaysSo) {
  SearchOptions options = WithBudget(1);
  options.time_layers = Timer(/*part=*/2);
  const absl::Status status = Search(model_, reader_, options).status();
  EXPECT_TRUE(absl::IsOutOfRange(status)) << status;
  EXPECT_THAT(status.message(), HasSubstr("faster on this machine than the"));
}

TEST_F(SearchTest, ABudgetThatNoRecipeKeepsIsOutOfRange) {
  const absl::Status status = Search(model_, reader_, WithBudget(150)).status();
  EXPECT_TRUE(absl::IsOutOfRange(status)) << status;
  EXPECT_THAT(status.message(), HasSubstr("meets 150 dB; the best reaches "));
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
  options.labels = OwnLabels();
  options.labels[2] = options.labels[2].unsqueeze(1);
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

// One bit for what the first layer takes and gives loses many samples, which no
// chance explains; in float it does not.
TEST_F(SearchTest, LabelsRefuseADropThatIsSignificant) {
  SearchOptions options = WithBudget(0);
  options.labels = OwnLabels();
  options.max_drop = 0;
  QConfig coarse = Int8PerTensorQConfig();
  coarse.activation.config.quant_min = 0;
  coarse.activation.config.quant_max = 1;
  options.quantize.mapping =
      DefaultMapping(options.quantize)
          .SetModuleNameObjectTypeOrder("", "aten::conv2d", 0, coarse);
  const SearchResult result = OrThrow(Search(model_, reader_, options));
  ASSERT_GE(result.verified.size(), 2);
  EXPECT_FALSE(result.verified.front().keeps_budget);
  EXPECT_LT(result.verified.front().p_value, kSignificance);
  EXPECT_GT(result.verified.front().top1->drop(), 0);
  const VerifiedRecipe& chosen = result.verified[result.chosen];
  EXPECT_TRUE(chosen.keeps_budget);
  EXPECT_GE(chosen.p_value, kSignificance);
  EXPECT_EQ(result.layers.front().choice, "float");
}

// Its one layer has outputs of one bit, which are equal for most classes.
TEST_F(SearchTest, LabelsThatNoRecipeKeepsAreOutOfRange) {
  model_ = FloatModel({absl::StrCat("return ", ConvOf("x"), ".amax([2, 3])")});
  SearchOptions options = WithBudget(0);
  options.labels = OwnLabels();
  options.max_drop = 0;
  QConfig coarse = Int8PerTensorQConfig();
  coarse.activation.config.quant_min = 0;
  coarse.activation.config.quant_max = 1;
  options.quantize.mapping = QConfigMapping().SetGlobal(coarse);
  const absl::Status status = Search(model_, reader_, options).status();
  EXPECT_TRUE(absl::IsOutOfRange(status)) << status;
  EXPECT_THAT(status.message(), HasSubstr("the best reaches a drop of "));
  EXPECT_THAT(status.message(), HasSubstr("raise --max-drop"));
}

TEST_F(SearchTest, RefusesLabelsThatDoNotFit) {
  SearchOptions options = WithBudget(0);
  options.model_name = "f.pt";
  options.labels_name = "l.pt";
  options.labels.assign(5, at::zeros({16}, at::kLong));
  EXPECT_THAT(Search(model_, reader_, options).status().message(),
              HasSubstr("labels of 5 batches, and 6 batches"));
  options.labels.assign(6, at::zeros({16}, at::kLong));
  options.labels[4] = at::zeros({15}, at::kLong);
  EXPECT_EQ(Search(model_, reader_, options).status().message(),
            "l.pt: batch 4: has 15 labels for 16 samples");
  options.labels[4] = at::full({16}, 3, at::kLong);
  EXPECT_THAT(Search(model_, reader_, options).status().message(),
              HasSubstr("batch 4: has labels that are not from 0 to 2"));
}

// A candidate of 8 bits beside that of 7.
TEST_F(SearchTest, ChoosesAmongSeveralCandidates) {
  SearchOptions options = WithBudget(1);
  options.quantize.target = QuantizationTarget::kExact;
  options.candidates = {"fbgemm"};
  const SearchResult narrow = OrThrow(Search(model_, reader_, options));
  options.candidates = {"fbgemm", "int8-per-channel", "dynamic"};
  options.budget_db = narrow.verified.front().measured_db + 1.5;
  const SearchResult result = OrThrow(Search(model_, reader_, options));
  EXPECT_THAT(result.candidates, ElementsAre("fbgemm", "int8-per-channel"));
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

TEST_F(SearchTest, TakesModelsThatKeepWhatTheyCompute) {
  const ModelGraph model = FloatModel(
      {absl::StrCat("y = torch.softmax(", LinearOf("x"), ", -1)"),
       absl::StrCat("self.w1[0] = ", LinearOf("x")),
       absl::StrCat("return ", LinearOf("torch.matmul(y, self.w1[0])"))});
  const BatchReader reader = BatchReader::FromBatches(
      BatchesOf({at::randn({3, 3}), at::randn({3, 3}), at::randn({3, 3})}));
  SearchOptions options = WithBudget(20);
  NS_EXPECT_OK(Search(model, reader, options).status());
}

}  // namespace
}  // namespace ns
