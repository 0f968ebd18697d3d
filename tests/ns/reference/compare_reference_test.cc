#include "ns/reference/compare_reference.h"

#include <ATen/Functions.h>

#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/batches/batch_reader.h"
#include "ns/batches/write_torch_save.h"
#include "ns/saved/activation_files.h"
#include "ns/suite/compare_models.h"
#include "tests/ns/suite/pair_runner_fixture.h"
#include "tests/testing/status.h"
#include "tests/testing/temporary_file.h"

namespace ns {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class CompareReferenceTest : public PairRunnerTest {
 protected:
  CompareReferenceTest() {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    for (int i = 0; i < 2; ++i) {
      batches_.push_back(BatchOf({at::randn({2, 3, 8, 8})}));
    }
  }

  static CompareOptions Activations() {
    CompareOptions options;
    options.worst_channels = 2;
    options.histograms = true;
    options.outliers = true;
    return options;
  }

  // Compares the models themselves, and saves what they make.
  ComparisonResult RunAndSave() const {
    ActivationFiles files = OrThrow(ActivationFiles::Create({folder_}));
    CompareOptions options = Activations();
    options.files = &files;
    return OrThrow(CompareModels(Float(), Quantized(),
                                 BatchReader::FromBatches(batches_), options));
  }

  absl::StatusOr<ComparisonResult> Compare() const {
    return CompareWithReference(Float(), Quantized(),
                                BatchReader::FromBatches(batches_), folder_,
                                Activations());
  }

  void SaveValue(const std::string& name, const at::Tensor& value) const {
    OrThrow(WriteTorchSave(absl::StrCat(folder_, "/", name), value));
  }

  const std::string folder_ = TemporaryPath("reference");
  std::vector<Batch> batches_;
};

TEST_F(CompareReferenceTest, FiguresOfSavedValuesAreThoseOfTheRun) {
  const ComparisonResult run = RunAndSave();
  const ComparisonResult result = OrThrow(Compare());
  EXPECT_EQ(result.reference, folder_);
  EXPECT_EQ(result.batches, 2);
  EXPECT_THAT(result.not_referenced, SizeIs(0));
  ASSERT_EQ(result.layers.size(), run.layers.size());
  for (size_t i = 0; i < run.layers.size(); ++i) {
    SCOPED_TRACE(run.layers[i].name);
    EXPECT_EQ(result.layers[i].name, run.layers[i].name);
    EXPECT_EQ(result.layers[i].weights.size(), run.layers[i].weights.size());
    ASSERT_TRUE(run.layers[i].activation && result.layers[i].activation);
    const ActivationComparison& x = *run.layers[i].activation;
    const ActivationComparison& y = *result.layers[i].activation;
    EXPECT_EQ(y.shape, x.shape);
    EXPECT_EQ(y.error.sqnr_db, x.error.sqnr_db);
    EXPECT_EQ(y.error.cosine, x.error.cosine);
    EXPECT_EQ(y.elements, x.elements);
    EXPECT_EQ(y.batch_sqnr_db, x.batch_sqnr_db);
    EXPECT_EQ(y.channel_sqnr_db, x.channel_sqnr_db);
    EXPECT_EQ(y.codes.has_value(), x.codes.has_value());
    EXPECT_EQ(y.outliers->abs_error_p999, x.outliers->abs_error_p999);
    EXPECT_TRUE(y.histograms.has_value());
  }
}

TEST_F(CompareReferenceTest, ListsWhatIsMissingOrOfAnotherShape) {
  SaveValue("conv.pt", at::ones({4, 4, 6, 6}));
  SaveValue("fc.pt", at::ones({4, 7}));
  SaveValue("cnov.pt", at::ones({1}));
  const ComparisonResult result = OrThrow(Compare());
  std::vector<std::string> names;
  for (const NotShadowed& layer : result.not_referenced) {
    names.push_back(layer.name);
    EXPECT_THAT(result.warnings, Contains(AllOf(HasSubstr(layer.name),
                                                HasSubstr(layer.reason))));
  }
  EXPECT_THAT(names, Contains("quant"));
  ASSERT_THAT(names, Contains("fc"));
  EXPECT_THAT(result.not_referenced.front().reason,
              HasSubstr("fc.pt has the shape [4, 7] and the quantized model "
                        "gives [2, 5]"));
  EXPECT_EQ(names.back(), "cnov");
  EXPECT_THAT(result.not_referenced.back().reason,
              HasSubstr("did you mean 'conv'?"));
  for (const LayerComparison& layer : result.layers) {
    EXPECT_EQ(layer.activation.has_value(), layer.name == "conv");
  }
}

TEST_F(CompareReferenceTest, TellsOfBatchesWithoutValues) {
  SaveValue("conv.pt", at::ones({3, 4, 6, 6}));
  const ComparisonResult result = OrThrow(Compare());
  EXPECT_THAT(result.warnings,
              Contains(AllOf(HasSubstr("conv: not compared in 1 call: "),
                             HasSubstr("1 of its rows left for batch 1"))));
  EXPECT_THAT(result.warnings,
              Contains(HasSubstr("1 row of " + folder_ + "/conv.pt")));
}

TEST_F(CompareReferenceTest, NothingToCompareIsAnError) {
  SaveValue("other.pt", at::ones({1}));
  EXPECT_THAT(MessageOf(Compare()),
              AllOf(HasSubstr(folder_ + ": holds values of none of the "),
                    HasSubstr("/batch_0000.pt, ")));
  SaveValue("conv.pt", at::ones({2, 2}));
  EXPECT_THAT(MessageOf(Compare()),
              HasSubstr("no value can be compared; conv: "));
}

TEST_F(CompareReferenceTest, EachTripOfALoopHasItsValue) {
  const ModelGraph a = ModelOfSource(WithScale(kLoop, "1.0"));
  const ModelGraph b = ModelOfSource(WithScale(kLoop, "0.9"));
  const BatchReader batches =
      BatchReader::FromBatches({BatchOf({at::randn({2, 3}), int64_t{2}})});
  ActivationFiles files = OrThrow(ActivationFiles::Create({folder_}));
  CompareOptions options;
  options.files = &files;
  const ComparisonResult run = OrThrow(CompareModels(a, b, batches, options));
  const ComparisonResult result =
      OrThrow(CompareWithReference(a, b, batches, folder_));
  ASSERT_FALSE(run.layers.empty());
  for (size_t i = 0; i < run.layers.size(); ++i) {
    ASSERT_THAT(run.layers[i].activation->trip_sqnr_db, SizeIs(2));
    EXPECT_EQ(result.layers[i].activation->trip_sqnr_db,
              run.layers[i].activation->trip_sqnr_db);
  }
}

}  // namespace
}  // namespace ns
