// What quantizing does with models and batches that do not fit, or that are
// unlike what one calibrates with.
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/jit/api/module.h>

#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/quantization/model/quantize_model.h"
#include "passes/quantization/qconfig/default_qconfigs.h"
#include "tests/ns/quantization/quantizing.h"
#include "tests/testing/float_model.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

const std::vector<std::string> kLinear = {
    absl::StrCat("return ", LinearOf("x"))};

// Observers of activations that users choose by name.
const ObserverKind kKinds[] = {
    ObserverKind::kMinMax,     ObserverKind::kMovingAverageMinMax,
    ObserverKind::kHistogram,  ObserverKind::kMse,
    ObserverKind::kPercentile, ObserverKind::kEntropy};

QuantizeOptions With(ObserverKind kind) {
  QuantizeOptions options;
  options.observer = kind;
  return options;
}

// Fails the test unless the model of each kind of observer has one layer in
// int8, with these parameters of its input, and gives finite values.
void ExpectQuantizedTo(const std::vector<at::Tensor>& batches, double scale,
                       int64_t zero_point) {
  for (const ObserverKind kind : kKinds) {
    QuantizedModel quantized = Quantize(kLinear, batches, With(kind));
    ASSERT_THAT(quantized.report.layers, SizeIs(1)) << ObserverKindName(kind);
    const ValueQuantization& input = quantized.report.layers[0].inputs[0];
    EXPECT_NEAR(input.scale, scale, 0.02 * scale) << ObserverKindName(kind);
    EXPECT_EQ(input.zero_point, zero_point) << ObserverKindName(kind);
    for (const at::Tensor& x : batches) {
      if (x.isfinite().all().item<bool>()) {
        EXPECT_TRUE(Output(quantized.model, x).isfinite().all().item<bool>());
      }
    }
  }
}

TEST(QuantizeBadInputTest, NoBatchesIsAnError) {
  EXPECT_EQ(MessageOf(QuantizeModel(FloatModel(kLinear), {}, {})),
            "there are no batches; calibration needs at least one");
}

TEST(QuantizeBadInputTest, UncalibratedModelIsAnError) {
  const ModelGraph prepared = OrThrow(PrepareModel(FloatModel(kLinear), {}));
  EXPECT_EQ(MessageOf(ConvertModel(prepared, {})),
            "the model was not calibrated: no observer has seen a value; run "
            "it on sample batches first");
}

TEST(QuantizeBadInputTest, BatchOfAnotherShapeIsNamed) {
  std::vector<Batch> batches = BatchesOf({at::rand({2, 3}), at::rand({2, 4})});
  EXPECT_THAT(MessageOf(QuantizeModel(FloatModel(kLinear), batches, {})),
              HasSubstr("batch 1"));
  batches[1].source = "images.pt: batch 1";
  EXPECT_THAT(MessageOf(QuantizeModel(FloatModel(kLinear), batches, {})),
              HasSubstr("images.pt: batch 1"));
}

TEST(QuantizeBadInputTest, BatchOfOtherArgumentsIsNamed) {
  EXPECT_THAT(MessageOf(QuantizeModel(
                  FloatModel(kLinear),
                  {{{at::rand({2, 3}), at::rand({2, 3})}, {}}}, {})),
              HasSubstr("takes 1"));
  EXPECT_NE(MessageOf(QuantizeModel(FloatModel(kLinear),
                                    {{{std::string("x")}, {}}}, {})),
            "");
}

TEST(QuantizeBadInputTest, NonFiniteValuesAreCountedAndDoNotCount) {
  at::Tensor x = at::linspace(0, 1.27, 30).reshape({10, 3});
  at::Tensor spoiled = x.clone();
  spoiled[4][1] = kNan;
  spoiled[5][0] = kInf;
  spoiled[5][2] = -kInf;
  ExpectQuantizedTo({x, spoiled}, 0.01, 0);
  for (const ObserverKind kind : kKinds) {
    EXPECT_THAT(Quantize(kLinear, {spoiled}, With(kind)).report.warnings,
                Contains("linear: 1 nan and 2 infinite values among its "
                         "activations; they do not count"))
        << ObserverKindName(kind);
  }
}

TEST(QuantizeBadInputTest, OnlyNonFiniteValuesKeepTheLayerInFloat) {
  for (const float value : {kNan, kInf, -kInf}) {
    for (const ObserverKind kind : kKinds) {
      EXPECT_THAT(
          StayedFloat(Quantize(kLinear, {at::full({2, 3}, value)}, With(kind))),
          ElementsAre("linear: its values are all nan or infinite"))
          << ObserverKindName(kind);
    }
  }
}

// PyTorch: 0.01176 for 3 at 8 bits; these are of 7.
TEST(QuantizeBadInputTest, ConstantActivationsHaveARange) {
  ExpectQuantizedTo({at::full({2, 3}, 1.27)}, 0.01, 0);
  ExpectQuantizedTo({at::full({2, 3}, -1.27)}, 0.01, 127);
}

TEST(QuantizeBadInputTest, ZerosHaveTheSmallestScale) {
  ExpectQuantizedTo({at::zeros({2, 3})}, 0x1p-23, 0);
}

// PyTorch 1.13's histogram forgets such a first batch. (A moving average starts
// with it, and moves away by a hundredth.)
TEST(QuantizeBadInputTest, ABatchOfZerosIsNotForgotten) {
  for (const ObserverKind kind : kKinds) {
    const QuantizedModel quantized = Quantize(
        kLinear,
        {at::zeros({50, 3}), at::linspace(0, 1.27, 30).reshape({10, 3})},
        With(kind));
    EXPECT_NEAR(quantized.report.layers[0].inputs[0].scale,
                kind == ObserverKind::kMovingAverageMinMax ? 1e-4 : 0.01, 2e-4)
        << ObserverKindName(kind);
  }
}

TEST(QuantizeBadInputTest, TheLargestFloatsAreTaken) {
  at::Tensor x = at::zeros({2, 3});
  x[0][0] = std::numeric_limits<float>::max();
  x[1][0] = std::numeric_limits<float>::lowest();
  for (const ObserverKind kind : kKinds) {
    QuantizedModel quantized =
        Quantize({"return torch.relu(x) * self.b"}, {x}, With(kind));
    EXPECT_EQ(Output(quantized.model, x).sizes(), x.sizes())
        << ObserverKindName(kind);
  }
}

TEST(QuantizeBadInputTest, EmptyTensorsAreNothing) {
  EXPECT_THAT(MessageOf(QuantizeModel(FloatModel(kLinear),
                                      BatchesOf({at::empty({0, 3})}), {})),
              HasSubstr("no observer has seen a value"));
  const at::Tensor x = at::linspace(0, 1.27, 30).reshape({10, 3});
  ExpectQuantizedTo({at::empty({0, 3}), x, at::empty({0, 3})}, 0.01, 0);
}

// On both sides of a prim::If, and in a loop without trips.
TEST(QuantizeBadInputTest, LayersThatNeverRanAreListed) {
  QuantizedModel quantized =
      Quantize({absl::StrCat("a = ", LinearOf("x")),
                "if x.size(0) > 4:", absl::StrCat("  a = ", LinearOf("a")),
                "else:", "  a = a + x", "for i in range(x.size(0) - 4):",
                "  a = torch.matmul(a, self.w)", "return a"},
               {at::rand({4, 3})});
  EXPECT_THAT(StayedFloat(quantized),
              ElementsAre("linear@1: never ran during calibration",
                          "matmul: never ran during calibration"));
  EXPECT_TRUE(
      Output(quantized.model, at::rand({6, 3})).isfinite().all().item<bool>());
}

TEST(QuantizeBadInputTest, IntegersStayIntegers) {
  QuantizedModel quantized =
      Quantize({"i = torch.add(x, 1)", "e = torch.embedding(self.w, i)",
                absl::StrCat("return ", LinearOf("e"))},
               {at::tensor({0, 1}, at::kLong)});
  EXPECT_THAT(StayedFloat(quantized),
              ElementsAre("add: it computes with integers",
                          "embedding: it takes indices; "
                          "--mode=weight-only quantizes its weight"));
  EXPECT_EQ(Output(quantized.model, at::tensor({1, 0}, at::kLong)).sizes(),
            at::IntArrayRef({2, 3}));
}

TEST(QuantizeBadInputTest, MasksStayMasks) {
  const at::Tensor x = at::rand({4, 3});
  QuantizedModel quantized = Quantize({"return (x > 0.5) * x"}, {x});
  EXPECT_THAT(StayedFloat(quantized),
              ElementsAre("mul: one of its inputs holds integers or truth "
                          "values"));
  EXPECT_TRUE(Output(quantized.model, x).equal((x > 0.5) * x));
}

TEST(QuantizeBadInputTest, FloatsOfOtherDtypesStayAsTheyAre) {
  for (const at::ScalarType dtype : {at::kDouble, at::kBFloat16}) {
    const at::Tensor x = at::rand({4, 3}).to(dtype);
    QuantizedModel quantized = Quantize({"return x + x"}, {x});
    EXPECT_THAT(StayedFloat(quantized),
                ElementsAre("add: it computes with floats other than float32"));
    EXPECT_TRUE(Output(quantized.model, x).equal(x + x));
  }
}

TEST(QuantizeBadInputTest, ComplexNumbersStayAsTheyAre) {
  const std::vector<std::string> body = {
      "c = torch.complex(x, x) * torch.complex(x, x)",
      absl::StrCat("return ", LinearOf("torch.view_as_real(c)[..., 1]"))};
  const at::Tensor x = at::rand({4, 3});
  for (const bool compat : {false, true}) {
    QuantizeOptions options;
    options.compat = compat;
    QuantizedModel quantized = Quantize(body, {x}, options);
    EXPECT_THAT(StayedFloat(quantized),
                Contains("mul: it computes with floats other than float32"));
    ASSERT_THAT(quantized.report.layers, SizeIs(1));
    EXPECT_EQ(quantized.report.layers[0].name, "linear");
    ModelGraph model = FloatModel(body);
    EXPECT_TRUE(Output(quantized.model, x).allclose(Output(model, x), 0, 0.2));
  }
}

TEST(QuantizeBadInputTest, ImagesWithoutABatchKeepTheirConvInFloat) {
  const at::Tensor image = at::rand({3, 5, 5});
  QuantizedModel quantized = Quantize(
      {absl::StrCat("return torch.relu(", ConvOf("x"), ") * 2")}, {image});
  EXPECT_THAT(StayedFloat(quantized),
              ElementsAre("conv2d: its input has 3 dimensions; its int8 op "
                          "takes 4"));
  EXPECT_EQ(Output(quantized.model, image).dim(), 3);
}

TEST(QuantizeBadInputTest, TransposedConvolutionsHaveOneScaleAndAWarning) {
  for (const Backend backend : {Backend::kFbgemm, Backend::kOnednn}) {
    QuantizeOptions options = Everywhere(Int8PerChannelQConfig());
    options.backend = backend;
    QuantizedModel quantized =
        Quantize({"return torch.conv_transpose2d(x, self.w2, self.b)"},
                 {at::rand({1, 3, 4, 4})}, options);
    EXPECT_THAT(quantized.report.warnings,
                ElementsAre(HasSubstr("its weight gets one scale")));
    ASSERT_THAT(quantized.report.layers, SizeIs(1));
    EXPECT_THAT(quantized.report.layers[0].weight->scales, SizeIs(1));
  }
}

TEST(QuantizeBadInputTest, DtypesThatNoKernelTakesGiveAModelThatRuns) {
  const at::Tensor x = at::rand({3, 3});
  QConfig qconfig = Int8PerTensorQConfig();
  qconfig.activation.config.dtype = at::kQInt32;
  for (const bool compat : {false, true}) {
    QuantizeOptions options = Everywhere(qconfig);
    options.compat = compat;
    QuantizedModel quantized =
        Quantize({"return torch.matmul(x, x) + x"}, {x}, options);
    EXPECT_THAT(
        StayedFloat(quantized),
        ElementsAre("matmul: no int8 kernel takes activations of qint32",
                    "add: no int8 kernel takes activations of qint32"));
    EXPECT_TRUE(Output(quantized.model, x).allclose(at::matmul(x, x) + x));
  }
}

TEST(QuantizeBadInputTest, QuantizedModelIsAnError) {
  const QuantizedModel quantized = Quantize(kLinear, {at::rand({4, 3})});
  EXPECT_THAT(MessageOf(PrepareModel(quantized.model, {})),
              HasSubstr("the model is quantized already"));
}

TEST(QuantizeBadInputTest, PreparedModelIsAnError) {
  const ModelGraph prepared = OrThrow(PrepareModel(FloatModel(kLinear), {}));
  EXPECT_EQ(MessageOf(PrepareModel(prepared, {})),
            "the model is prepared already; calibrate and convert it");
}

TEST(QuantizeBadInputTest, FloatModelCannotBeConverted) {
  EXPECT_EQ(MessageOf(ConvertModel(FloatModel(kLinear), {})),
            "the model was not prepared; insert-observers has not run on it");
}

TEST(QuantizeBadInputTest, PreparedModelOfAnotherVersionIsAnError) {
  ModelGraph prepared = OrThrow(PrepareModel(FloatModel(kLinear), {}));
  NS_ASSERT_OK(Calibrate(prepared, BatchesOf({at::rand({4, 3})})));
  torch::jit::Module& module = prepared.module();
  module._ivalue()->unsafeRemoveAttr("ns_prepared");
  module.type()->unsafeRemoveAttribute("ns_prepared");
  const c10::IValue record(std::make_tuple(int64_t{99}, int64_t{0}));
  module.register_attribute("ns_prepared", record.type(), record);
  EXPECT_EQ(MessageOf(ConvertModel(prepared, {})),
            "the model was prepared by another version of ns; prepare it "
            "again");
}

TEST(QuantizeBadInputTest, EveryQConfigOfPyTorchGivesAModelThatRuns) {
  const at::Tensor x = at::rand({1, 3, 4, 3});
  for (const std::string& name : PresetNames()) {
    for (const bool compat : {false, true}) {
      QuantizeOptions options = Everywhere(OrThrow(PresetNamed(name)));
      options.compat = compat;
      QuantizedModel quantized =
          Quantize({absl::StrCat("y = torch.relu(", ConvOf("x"), ")"),
                    absl::StrCat("y = y + torch.sigmoid(", LinearOf("y"), ")"),
                    "return torch.cat([y, x], 1)"},
                   {x}, options);
      EXPECT_TRUE(Output(quantized.model, x).isfinite().all().item<bool>())
          << name;
      ExpectNeedsLibTorchOnly(quantized.model);
    }
  }
}

}  // namespace
}  // namespace ns
