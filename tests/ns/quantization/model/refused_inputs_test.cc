#include "ns/quantization/model/refused_inputs.h"

#include <ATen/Functions.h>

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/batches/batch_reader.h"
#include "ns/quantization/model/quantize_model.h"
#include "tests/ns/quantization/quantizing.h"
#include "tests/testing/float_model.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

BatchReader ReaderOf(const std::vector<at::Tensor>& tensors) {
  return BatchReader::FromBatches(BatchesOf(tensors));
}

std::map<std::string, std::string> RefusedOf(
    const std::vector<std::string>& body, const at::Tensor& x) {
  return OrThrow(RefusedInputs(FloatModel(body), ReaderOf({x})));
}

const char kVector[] = "its input is a vector; its kernel takes matrices";

TEST(RefusedInputsTest, LinearLayersOfVectorsAreNamed) {
  const std::vector<std::string> body = {
      absl::StrCat("return ", LinearOf("x"))};
  EXPECT_THAT(RefusedOf(body, at::rand({3})),
              ElementsAre(Pair("linear", kVector)));
  EXPECT_THAT(RefusedOf(body, at::rand({2, 3})), IsEmpty());
  EXPECT_THAT(RefusedOf(body, at::rand({2, 2, 3})), IsEmpty());
}

TEST(RefusedInputsTest, EmbeddingsOfOtherIndicesAreNamed) {
  const std::vector<std::string> body = {"return torch.embedding(self.w, x)"};
  const at::Tensor one = at::zeros({1}, at::kLong);
  EXPECT_THAT(RefusedOf(body, one), IsEmpty());
  EXPECT_THAT(RefusedOf(body, one.view({1, 1})), IsEmpty());
  EXPECT_THAT(
      RefusedOf(body, one.view({1, 1, 1})),
      ElementsAre(Pair("embedding",
                       "its kernel takes indices with one or two dimensions")));
}

TEST(RefusedInputsTest, ABatchThatDoesNotFitIsTold) {
  EXPECT_THAT(MessageOf(RefusedInputs(
                  FloatModel({absl::StrCat("return ", LinearOf("x"))}),
                  ReaderOf({at::rand({2, 3}), at::rand({4, 5})}))),
              testing::HasSubstr("batch 1: the float model, "));
}

TEST(RefusedInputsTest, AllBatchesAreSeen) {
  const ModelGraph model = FloatModel({absl::StrCat("return ", LinearOf("x"))});
  std::vector<size_t> seen;
  EXPECT_THAT(
      OrThrow(RefusedInputs(model, ReaderOf({at::rand({2, 3}), at::rand({3})}),
                            [&](size_t done) { seen.push_back(done); })),
      ElementsAre(Pair("linear", kVector)));
  EXPECT_THAT(seen, ElementsAre(1, 2));
}

TEST(RefusedInputsTest, AModelWithoutSuchLayersDoesNotRun) {
  EXPECT_THAT(RefusedOf({absl::StrCat("return ", ConvOf("x"))}, at::rand({2})),
              IsEmpty());
}

TEST(RefusedInputsTest, WithoutBatchesAWarningCountsTheLayers) {
  QuantizeOptions options;
  options.mode = QuantizeMode::kDynamic;
  const std::vector<std::string> body = {
      absl::StrCat("y = torch.relu(", LinearOf("x"), ")"),
      absl::StrCat("return ", LinearOf("y"), " + y")};
  EXPECT_THAT(Quantize(body, {}, options).report.warnings,
              ElementsAre(testing::HasSubstr("the inputs of 2 layers; ")));
  EXPECT_THAT(Quantize(body, {at::rand({2, 3})}, options).report.warnings,
              IsEmpty());
  EXPECT_THAT(Quantize({"return x + x"}, {}, options).report.warnings,
              IsEmpty());
  options.compat = true;
  EXPECT_THAT(Quantize(body, {}, options).report.warnings, IsEmpty());
  options = {};
  options.mode = QuantizeMode::kWeightOnly;
  EXPECT_THAT(Quantize({"return torch.embedding(self.w, x)"}, {}, options)
                  .report.warnings,
              ElementsAre(testing::HasSubstr("the inputs of 1 layer; ")));
}

// One later vector keeps the layer in float.
TEST(RefusedInputsTest, ADynamicModelOfOtherRanksLaterRuns) {
  QuantizeOptions options;
  options.mode = QuantizeMode::kDynamic;
  QuantizedModel quantized =
      Quantize({absl::StrCat("return ", LinearOf("x"))},
               {at::rand({2, 3}), at::rand({3})}, options);
  EXPECT_THAT(StayedFloat(quantized),
              ElementsAre(absl::StrCat("linear: ", kVector)));
  EXPECT_EQ(Output(quantized.model, at::rand({3})).dim(), 1);
}

// What LibTorch's op would refuse stays in float, and the model runs.
TEST(RefusedInputsTest, ADynamicModelOfVectorsRuns) {
  const at::Tensor x = at::rand({3});
  QuantizeOptions options;
  options.mode = QuantizeMode::kDynamic;
  const std::vector<std::string> body = {
      absl::StrCat("y = ", LinearOf("x")),
      absl::StrCat("return ", LinearOf("x.unsqueeze(0)"), " + y")};
  QuantizedModel quantized = Quantize(body, {x}, options);
  EXPECT_THAT(StayedFloat(quantized),
              testing::Contains(absl::StrCat("linear: ", kVector)));
  ASSERT_EQ(quantized.report.layers.size(), 1);
  EXPECT_EQ(quantized.report.layers[0].name, "linear@1");
  EXPECT_EQ(Output(quantized.model, x).dim(), 2);
  // PyTorch quantizes it, and then fails.
  options.compat = true;
  EXPECT_EQ(Quantize(body, {x}, options).report.layers.size(), 2);
}

}  // namespace
}  // namespace ns
