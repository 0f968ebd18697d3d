// Which layers convert-observers leaves in float, and the reasons that it
// gives.
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/ADT/DenseSet.h"
#include "passes/quantization/convert/convert_observers.h"
#include "tests/passes/quantization/convert/calibrated.h"
#include "tests/testing/float_model.h"
#include "tests/testing/ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Why the one layer of the model stays in float.
std::string ReasonOf(const std::vector<std::string>& body,
                     const std::vector<at::Tensor>& batches,
                     const QConfig& qconfig = Int8PerTensorQConfig()) {
  ModelGraph model = Calibrated(body, batches, qconfig);
  const QuantizationReport report = OrThrow(ConvertObservers(model));
  EXPECT_THAT(report.layers, IsEmpty());
  EXPECT_EQ(report.stayed_float.size(), 1);
  EXPECT_TRUE(NodesOf(model.graph(), "aten::quantize_per_tensor").empty());
  return report.stayed_float.empty() ? "" : report.stayed_float[0].reason;
}

// With MinMax observers, it has scale 0.1 and zero point 51.
const at::Tensor kX = at::tensor({-5.1F, 0.0F, 20.4F}).reshape({1, 3});

TEST(ConvertObserversRefusalsTest, LayersThatNeverRanStayFloat) {
  ModelGraph model = Calibrated(
      {"a = x + x", "if x.size(0) > 1:", absl::StrCat("  a = ", LinearOf("a")),
       "return a"},
      {kX});
  const QuantizationReport report = OrThrow(ConvertObservers(model));
  EXPECT_THAT(Quantized(report), ElementsAre("add"));
  EXPECT_THAT(StayedFloat(report),
              ElementsAre("linear: never ran during calibration"));
  // Its weight is as it was.
  EXPECT_EQ(NodeOf(model.graph(), "aten::linear")
                ->input(1)
                ->node()
                ->t(c10::attr::value)
                .scalar_type(),
            at::kFloat);
}

// The observers of what it takes and gives have seen other values.
TEST(ConvertObserversRefusalsTest,
     LayersThatShareObserversStayFloatAllTheSame) {
  for (const std::string& layer :
       {LinearOf("a"), ConvOf("a"), std::string("torch.cat([a, a])")}) {
    ModelGraph model = Calibrated(
        {"a = x + x", "if x.size(0) > 1:", absl::StrCat("  a = ", layer),
         "else:", "  a = a * a", "return a"},
        {at::rand({1, 3, 4, 3})});
    const QuantizationReport report = OrThrow(ConvertObservers(model));
    EXPECT_THAT(Quantized(report), ElementsAre("add", "mul"));
    ASSERT_EQ(report.stayed_float.size(), 1);
    EXPECT_EQ(report.stayed_float[0].reason, "never ran during calibration");
  }
}

TEST(ConvertObserversRefusalsTest, LayersInLoopsWithoutATripStayFloat) {
  ModelGraph model =
      Calibrated({"a = x + x", "for i in range(x.size(0) - 1):",
                  absl::StrCat("  a = ", LinearOf("a")), "return a"},
                 {kX});
  EXPECT_THAT(StayedFloat(OrThrow(ConvertObservers(model))),
              ElementsAre("linear: never ran during calibration"));
}

TEST(ConvertObserversRefusalsTest, ImagesWithoutABatchKeepTheirConvInFloat) {
  EXPECT_EQ(
      ReasonOf({absl::StrCat("return ", ConvOf("x"))}, {at::rand({3, 4, 4})}),
      "its input has 3 dimensions; its int8 op takes 4");
  // One is enough.
  EXPECT_EQ(ReasonOf({absl::StrCat("return ", ConvOf("x"))},
                     {at::rand({1, 3, 4, 4}), at::rand({3, 4, 4})}),
            "its input has 3 dimensions; its int8 op takes 4");
}

TEST(ConvertObserversRefusalsTest, MeansOfSinglePixelsStayFloat) {
  const at::Tensor pixel = at::rand({2, 3, 1, 1});
  const at::Tensor image = at::rand({2, 3, 1, 2});
  const auto stayed = [](const std::string& mean,
                         const std::vector<at::Tensor>& batches) {
    ModelGraph model = Calibrated({"a = x + x", mean}, batches);
    return StayedFloat(OrThrow(ConvertObservers(model)));
  };
  EXPECT_THAT(stayed("return a.mean([2, 3])", {image, pixel}),
              ElementsAre("mean: its input has images of one pixel; its int8 "
                          "op takes them with keepdim=True only"));
  EXPECT_THAT(stayed("return a.mean([2, 3], True)", {pixel}), IsEmpty());
  EXPECT_THAT(stayed("return a.mean([2, 3])", {image}), IsEmpty());
}

TEST(ConvertObserversRefusalsTest, RowsAreToBeMoreThanOne) {
  EXPECT_EQ(ReasonOf({absl::StrCat("return ", LinearOf("x"))}, {at::rand({3})}),
            "its input has 1 dimensions; its int8 op takes 2");
}

// The pool has no weight that would keep folding from it.
TEST(ConvertObserversRefusalsTest, OpsAmongQuantizedValuesAreTold) {
  ModelGraph model = Calibrated(
      {"a = x + x", "b = torch.avg_pool3d(a, [2, 2, 2])", "return b * b"},
      {at::rand({3, 4, 4, 4})});
  llvm::DenseSet<const torch::jit::Node*> float_nodes;
  EXPECT_THAT(StayedFloat(OrThrow(ConvertObservers(model, {{}, &float_nodes}))),
              ElementsAre("avg_pool3d: its input has 4 dimensions; its int8 op "
                          "takes 5"));
  EXPECT_THAT(float_nodes,
              ElementsAre(NodeOf(model.graph(), "aten::avg_pool3d")));
}

// The float op takes the mean of the last two of any dimensions.
TEST(ConvertObserversRefusalsTest, VolumesKeepTheirPoolOfImagesInFloat) {
  const at::Tensor volumes = at::rand({2, 3, 4, 4, 4});
  for (const std::vector<at::Tensor>& batches :
       {std::vector<at::Tensor>{volumes}, {at::rand({3, 4, 4}), volumes}}) {
    ModelGraph model = Calibrated(
        {"a = x + x", "return torch.adaptive_avg_pool2d(a, [1, 1])"}, batches);
    EXPECT_THAT(StayedFloat(OrThrow(ConvertObservers(model))),
                ElementsAre("adaptive_avg_pool2d: its input has 5 dimensions; "
                            "its int8 op takes at most 4"));
  }
}

TEST(ConvertObserversRefusalsTest, OpsThatNeverRanAreTold) {
  ModelGraph model =
      Calibrated({"a = x + x", "if x.size(0) > 1:", "  a = torch.cat([a, a])",
                  "else:", "  a = a * a", "return a"},
                 {kX});
  llvm::DenseSet<const torch::jit::Node*> float_nodes;
  OrThrow(ConvertObservers(model, {{}, &float_nodes}));
  EXPECT_THAT(float_nodes, ElementsAre(NodeOf(model.graph(), "aten::cat")));
}

// The rank that counts is the one behind the reshape.
TEST(ConvertObserversRefusalsTest, ReshapesInFrontOfAConvCount) {
  ModelGraph model = Calibrated(
      {"y = (x + x).unsqueeze(0)", absl::StrCat("return ", ConvOf("y"))},
      {at::rand({3, 4, 4})});
  EXPECT_THAT(StayedFloat(OrThrow(ConvertObservers(model))), IsEmpty());
}

TEST(ConvertObserversRefusalsTest, OtherDtypesStayFloat) {
  EXPECT_EQ(ReasonOf({"return x + x"}, {at::ones({2, 3}, at::kLong)}),
            "it computes with integers");
  EXPECT_EQ(ReasonOf({"return x * self.b"}, {at::ones({2, 3}, at::kInt)}),
            "one of its inputs holds integers or truth values");
  EXPECT_EQ(ReasonOf({"return x + x"}, {at::ones({2, 3}, at::kDouble)}),
            "it computes with floats other than float32");
}

TEST(ConvertObserversRefusalsTest,
     ObserversWithoutQParamsKeepTheirLayerInFloat) {
  QConfig recording = Int8PerTensorQConfig();
  recording.activation = SpecOf(ObserverKind::kRecording);
  EXPECT_EQ(ReasonOf({"return x + x"}, {kX}, recording),
            "its observer: observer 'recording' has no scale and zero point");
  QConfig channels = Int8PerTensorQConfig();
  channels.activation = SpecOf(ObserverKind::kPerChannelMinMax);
  EXPECT_EQ(ReasonOf({"return x + x"}, {at::rand({2, 3})}, channels),
            "its activations have a scale for each channel");
}

TEST(ConvertObserversRefusalsTest, WeightsThatCannotBeQuantizedStayFloat) {
  EXPECT_EQ(ReasonOf({"return torch.linear(x, self.w / 0.)"}, {kX * 0 + 1}),
            "its values are all nan or infinite");
  QConfig qconfig = Int8PerTensorQConfig();
  qconfig.activation = SpecOf(ObserverKind::kFixedQParams);
  EXPECT_EQ(ReasonOf({"return torch.linear(x, self.w / 0.)"}, {kX}, qconfig),
            "its weight has values that are not finite");
}

}  // namespace
}  // namespace ns
