#include "ns/quantization/quantize.h"

#include <ATen/Functions.h>

#include <cstdint>
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
#include "tests/testing/temporary_file.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

// Two linear layers, with a relu in between.
std::vector<std::string> Layers() {
  return {absl::StrCat("y = torch.relu(", LinearOf("x"), ")"),
          absl::StrCat("return ", LinearOf("y"))};
}

BatchReader Batches(int64_t count) {
  at::manual_seed(3);
  std::vector<at::Tensor> tensors;
  for (int64_t i = 0; i < count; ++i) {
    tensors.push_back(at::randn({4, 3}));
  }
  return BatchReader::FromBatches(BatchesOf(tensors));
}

TEST(QuantizeTest, MakesAModelAndSaysHowGoodItIs) {
  const ModelGraph model = FloatModel(Layers());
  const QuantizeResult result = OrThrow(Quantize(model, Batches(4), {}));
  ExpectNeedsLibTorchOnly(result.quantized);
  EXPECT_THAT(result.quantized.graph().toString(),
              HasSubstr("quantized::linear_relu"));
  EXPECT_THAT(result.report.layers, SizeIs(2));
  EXPECT_THAT(result.report.warnings, IsEmpty());
  ASSERT_THAT(result.outputs, SizeIs(1));
  EXPECT_EQ(result.outputs[0].name, "output");
  EXPECT_GT(result.outputs[0].sqnr_db, 25);
}

TEST(QuantizeTest, ThePreparedModelIsConvertedToTheSame) {
  const std::string path = TemporaryPath("prepared.pt");
  const QuantizeResult once =
      OrThrow(Quantize(FloatModel(Layers()), Batches(4), {}));
  NS_ASSERT_OK(once.prepared.Save(path));
  ModelGraphOptions as_it_is;
  as_it_is.as_it_is = true;
  QuantizeOptions options;
  options.mapping = once.mapping;
  const QuantizeResult later =
      OrThrow(QuantizePrepared(OrThrow(ModelGraph::FromFile(path, as_it_is)),
                               BatchReader::FromBatches({}), options));
  ModelGraph first = OrThrow(once.quantized.Clone());
  ModelGraph second = OrThrow(later.quantized.Clone());
  const at::Tensor x = at::randn({4, 3});
  EXPECT_TRUE(Output(first, x).equal(Output(second, x)));
  EXPECT_THAT(later.outputs, IsEmpty());
}

TEST(QuantizeTest, MethodsThatAreAskedForAreTried) {
  QuantizeOptions options;
  options.methods.bias_correction = BiasCorrection::kFast;
  options.methods.equalize = true;
  const QuantizeResult result =
      OrThrow(Quantize(FloatModel(Layers()), Batches(4), options));
  EXPECT_THAT(result.report.warnings,
              ElementsAre(HasSubstr("no layers were equalized")));
  ASSERT_THAT(result.report.tried, SizeIs(2));
  EXPECT_EQ(result.report.tried[0].method, "bias correction");
}

TEST(QuantizeTest, ReferenceGraphsAndPreparedModelsGetNoMethods) {
  QuantizeOptions options;
  options.methods = DefaultMethods();
  options.reference = true;
  const ModelGraph model = FloatModel(Layers());
  EXPECT_THAT(OrThrow(Quantize(model, Batches(4), options)).report.tried,
              IsEmpty());
  options.reference = false;
  const QuantizeResult result = OrThrow(Quantize(model, Batches(4), options));
  EXPECT_THAT(result.report.tried, Not(IsEmpty()));
  EXPECT_THAT(OrThrow(QuantizePrepared(OrThrow(result.prepared.Clone()),
                                       Batches(4), options))
                  .report.tried,
              IsEmpty());
}

TEST(QuantizeTest, LayersThatDynamicOpsRefuseStayFloat) {
  QuantizeOptions options;
  options.mode = QuantizeMode::kDynamic;
  options.refused["linear"] = "it is not read";
  const QuantizeResult matrices =
      OrThrow(Quantize(FloatModel(Layers()), Batches(2), options));
  EXPECT_THAT(matrices.report.layers, SizeIs(2));
  const QuantizeResult vectors = OrThrow(
      Quantize(FloatModel(Layers()),
               BatchReader::FromBatches(BatchesOf({at::randn({3})})), options));
  EXPECT_THAT(vectors.report.layers, IsEmpty());
}

TEST(QuantizeTest, DynamicLayersNeedNoBatches) {
  QuantizeOptions options;
  options.mode = QuantizeMode::kDynamic;
  const QuantizeResult result = OrThrow(
      Quantize(FloatModel(Layers()), BatchReader::FromBatches({}), options));
  EXPECT_THAT(result.report.layers, SizeIs(2));
  EXPECT_THAT(result.outputs, IsEmpty());
  EXPECT_THAT(result.report.warnings, SizeIs(1));
}

TEST(QuantizeTest, ProgressEndsWhereAllIsDone) {
  std::vector<int64_t> left;
  QuantizeOptions options;
  options.progress = [&](int64_t done, int64_t total) {
    left.push_back(total - done);
  };
  OrThrow(Quantize(FloatModel(Layers()), Batches(4), options));
  // Each batch calibrates, and is compared.
  EXPECT_THAT(left, ElementsAre(7, 6, 5, 4, 3, 2, 1, 0));
}

TEST(QuantizeTest, ErrorsOfTheModelNameItsFile) {
  const QuantizeResult made =
      OrThrow(Quantize(FloatModel(Layers()), Batches(2), {}));
  EXPECT_THAT(MessageOf(Quantize(made.quantized, Batches(2), {})),
              Not(HasSubstr(".pt: ")));
  const std::string path = TemporaryPath("quantized.pt");
  NS_ASSERT_OK(made.quantized.Save(path));
  const ModelGraph read = OrThrow(ModelGraph::FromFile(path));
  EXPECT_THAT(MessageOf(Quantize(read, Batches(2), {})),
              StartsWith(absl::StrCat(path, ": ")));
}

TEST(QuantizeTest, ErrorsOfABatchNameIt) {
  const std::string path = TemporaryPath("float.pt");
  NS_ASSERT_OK(FloatModel(Layers()).Save(path));
  const ModelGraph read = OrThrow(ModelGraph::FromFile(path));
  EXPECT_THAT(MessageOf(Quantize(read,
                                 BatchReader::FromBatches(BatchesOf(
                                     {at::randn({4, 3}), at::randn({4, 5})})),
                                 {})),
              StartsWith("batch 1: "));
}

}  // namespace
}  // namespace ns
