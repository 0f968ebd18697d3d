// What PyTorch's tests claim of add_shadow_loggers and
// extract_shadow_logger_info, of ours: the table in tests/README.md says which
// test is for which case. What the reference skips, ours must shadow.
#include <ATen/Functions.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/instrument/logger_info.h"
#include "tests/testing/engines.h"
#include "tests/testing/fx_shadows.h"
#include "tests/testing/results.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::SizeIs;

using Layers = std::vector<std::string>;

// The least SQNR of one int8 layer on its own, and that of layers which differ
// in the rounding of a folded norm, or of half precision, in dB.
constexpr double kInt8 = 30;
constexpr double kRounding = 100;
constexpr double kHalf = 60;
constexpr double kExact = std::numeric_limits<double>::infinity();

using ReferenceShadowsTest = EngineTest;
NS_INSTANTIATE_ON_ENGINES(ReferenceShadowsTest);

TEST_P(ReferenceShadowsTest, ModulesShadowModules) {
  const FxShadows prepared("two_convs", "float", "prepared");
  EXPECT_THAT(prepared.layers(), ElementsAre("0", "1"));
  EXPECT_GT(prepared.sqnr(), kRounding);
  const FxShadows quantized("two_convs", "prepared", "quantized");
  EXPECT_THAT(quantized.layers(), ElementsAre("input.quantize", "0", "1"));
  EXPECT_GT(quantized.sqnr(), kInt8);
}

TEST_P(ReferenceShadowsTest, FunctionsShadowFunctions) {
  const FxShadows prepared("linears_fun", "float", "prepared");
  EXPECT_THAT(prepared.layers(), ElementsAre("linear", "linear@1"));
  EXPECT_GT(prepared.sqnr(), kRounding);
  const FxShadows quantized("linears_fun", "prepared", "quantized");
  EXPECT_THAT(quantized.layers(),
              ElementsAre("x.quantize", "linear_relu", "linear"));
  EXPECT_GT(quantized.sqnr(), kInt8);
}

// The weight of a model in training is computed: it is no input.
TEST_P(ReferenceShadowsTest, ModulesTrainedWithFakeQuantizationShadow) {
  const FxShadows prepared("two_convs_qat", "float", "prepared", true);
  EXPECT_THAT(prepared.layers(), ElementsAre("0", "1"));
  EXPECT_THAT(LayersWith(prepared.results, kNodeInputResult),
              ElementsAre("0", "1"));
  EXPECT_GT(prepared.sqnr(), kInt8);
  const FxShadows quantized("two_convs_qat", "prepared", "quantized", true);
  EXPECT_THAT(quantized.layers(), ElementsAre("input.quantize", "0", "1"));
  EXPECT_GT(quantized.sqnr(), kInt8);
}

TEST_P(ReferenceShadowsTest, FunctionsTrainedWithFakeQuantizationShadow) {
  const FxShadows prepared("linears_fun_qat", "float", "prepared");
  EXPECT_THAT(prepared.layers(), ElementsAre("linear", "linear@1"));
  EXPECT_GT(prepared.sqnr(), kInt8);
  const FxShadows quantized("linears_fun_qat", "prepared", "quantized");
  EXPECT_THAT(quantized.layers(),
              ElementsAre("x.quantize", "linear_relu", "linear"));
  EXPECT_GT(quantized.sqnr(), kInt8);
}

TEST_P(ReferenceShadowsTest, MethodsAreShadowed) {
  const FxShadows prepared("sigmoid_method", "float", "prepared");
  EXPECT_THAT(prepared.layers(), ElementsAre("sigmoid"));
  const FxShadows quantized("sigmoid_method", "prepared", "quantized");
  EXPECT_THAT(quantized.layers(), ElementsAre("x.quantize", "sigmoid"));
}

TEST_P(ReferenceShadowsTest, RecordsHaveThePathOfTheirModule) {
  const FxShadows shadowed("nested_convs", "prepared", "quantized");
  for (const char* layer : {"0.0", "1"}) {
    for (const auto& [model, records] :
         shadowed.results.Find(layer)->at(kNodeOutputResult)) {
      ASSERT_THAT(records, SizeIs(1));
      EXPECT_EQ(records[0].info.fqn, layer) << model;
    }
  }
}

// A list whose elements are one value is two inputs.
TEST_P(ReferenceShadowsTest, InputsAreLogged) {
  const FxShadows shadowed("conv_cat", "prepared", "quantized", true);
  EXPECT_THAT(shadowed.layers(), ElementsAre("x.quantize", "conv", "cat"));
  EXPECT_THAT(LayersWith(shadowed.results, kNodeInputResult),
              ElementsAre("conv", "cat"));
  const ResultsByModel& inputs =
      shadowed.results.Find("cat")->at(kNodeInputResult);
  for (const char* model : {"a", "b"}) {
    ASSERT_THAT(inputs.at(model), SizeIs(2));
    EXPECT_EQ(inputs.at(model)[0].info.index_within_arg, 0);
    EXPECT_EQ(inputs.at(model)[1].info.index_within_arg, 1);
  }
  // Shadow and shadowed receive the same numbers.
  EXPECT_EQ(LowestSqnr(shadowed.results, kNodeInputResult), kExact);
}

TEST_P(ReferenceShadowsTest, HalfPrecisionIsShadowedWithAndWithoutInputs) {
  for (const bool inputs : {false, true}) {
    for (const char* stage : {"float", "prepared"}) {
      const FxShadows shadowed("linear_relu_half", stage, "quantized", inputs);
      EXPECT_EQ(shadowed.loggers, inputs ? 4 : 2);
      EXPECT_THAT(shadowed.layers(), ElementsAre("linear"));
      EXPECT_GT(shadowed.sqnr(), kHalf);
    }
  }
}

TEST_P(ReferenceShadowsTest, HalfPrecisionShadowsItself) {
  const FxShadows shadowed("linear_half", "quantized", "quantized");
  EXPECT_THAT(shadowed.layers(), ElementsAre("linear"));
  EXPECT_EQ(shadowed.Output("linear", "a").scalar_type(), at::kHalf);
  EXPECT_EQ(shadowed.sqnr(), kExact);
}

TEST_P(ReferenceShadowsTest, HalfPrecisionShadowsFloat) {
  const FxShadows shadowed("linear_relu_half", "quantized", "float", true);
  EXPECT_THAT(shadowed.layers(), ElementsAre("linear"));
  EXPECT_EQ(shadowed.Output("linear", "a").scalar_type(), at::kHalf);
  EXPECT_GT(shadowed.sqnr(), kHalf);
}

TEST_P(ReferenceShadowsTest, OpsThatTakeEitherDtypeAreShadowed) {
  const FxShadows shadowed("relus", "prepared", "quantized");
  EXPECT_THAT(shadowed.layers(), ElementsAre("x.quantize", "relu", "relu@1"));
  EXPECT_FALSE(shadowed.Output("relu", "a").is_quantized());
  EXPECT_TRUE(shadowed.Output("relu", "b").is_quantized());
}

TEST_P(ReferenceShadowsTest, Int8ModuleShadowsItself) {
  const FxShadows shadowed("conv", "quantized", "quantized");
  EXPECT_TRUE(shadowed.Output("0", "a").is_quantized());
  EXPECT_TRUE(shadowed.Output("0", "a").equal(shadowed.Output("0", "b")));
}

TEST_P(ReferenceShadowsTest, Int8FunctionShadowsItself) {
  const FxShadows shadowed("linear_fun", "quantized", "quantized");
  EXPECT_TRUE(shadowed.Output("linear", "a").is_quantized());
  EXPECT_TRUE(
      shadowed.Output("linear", "a").equal(shadowed.Output("linear", "b")));
}

TEST_P(ReferenceShadowsTest, LayersAreNamedByTheShadowedModel) {
  const FxShadows shadowed("convs_sigmoid", "prepared", "quantized");
  EXPECT_THAT(shadowed.layers(), ElementsAre("input.quantize", "0", "1", "2"));
}

// The second layer is fed with the first one's float output, quantized with the
// parameters that the int8 model has there.
TEST_P(ReferenceShadowsTest, Int8ShadowsFloatWithTheProducersParameters) {
  const FxShadows shadowed("two_convs_relu", "quantized", "prepared", true);
  EXPECT_THAT(shadowed.layers(), ElementsAre("0", "1"));
  EXPECT_GT(shadowed.sqnr(), kInt8);
  const at::Tensor& first = shadowed.Output("0", "a");
  const at::Tensor& fed = shadowed.results.Find("1")
                              ->at(kNodeInputResult)
                              .at("a")
                              .at(0)
                              .values.at(0);
  EXPECT_EQ(fed.q_scale(), first.q_scale());
  EXPECT_EQ(fed.q_zero_point(), first.q_zero_point());
  EXPECT_TRUE(fed.equal(
      at::quantize_per_tensor(shadowed.Output("0", "b"), first.q_scale(),
                              first.q_zero_point(), at::kQUInt8)));
}

// The reference shadows the three convolutions alone.
TEST_P(ReferenceShadowsTest, Int8ShadowsFloatBehindOpsOfAllKinds) {
  const FxShadows shadowed("pool_conv_reuse", "quantized", "prepared");
  EXPECT_THAT(shadowed.layers(),
              ElementsAre("pool", "conv", "mul", "conv@1", "add", "conv@2"));
  for (const std::string& layer : shadowed.layers()) {
    EXPECT_TRUE(shadowed.Output(layer, "a").is_quantized()) << layer;
  }
}

TEST_P(ReferenceShadowsTest, KeepTheOutputsOfWhatIsShadowed) {
  for (const auto& [a, b] :
       {std::pair("float", "quantized"), std::pair("quantized", "prepared")}) {
    for (const char* name : {"two_convs", "two_convs_qat", "fusions"}) {
      const FxShadows shadowed(name, a, b);
      EXPECT_TRUE(
          shadowed.output.toTensor().equal(shadowed.plain_output.toTensor()))
          << name << " " << b;
    }
  }
}

// The reference skips all of these.
TEST_P(ReferenceShadowsTest, MulAddCatAndStackAreShadowed) {
  const Layers layers = {"mul", "mul@1", "add", "add@1", "cat", "stack"};
  EXPECT_THAT(FxShadows("pairs_and_lists", "float", "prepared").layers(),
              ElementsAreArray(layers));
  const FxShadows quantized("pairs_and_lists", "prepared", "quantized");
  EXPECT_THAT(quantized.layers(), ElementsAre("x.quantize", "mul", "mul@1",
                                              "add", "add@1", "cat", "stack"));
  EXPECT_GT(quantized.sqnr(), kInt8);
}

// Keyword arguments are positional in TorchScript: no reason to skip.
TEST_P(ReferenceShadowsTest, CallsWithKeywordsAloneAreShadowed) {
  EXPECT_THAT(FxShadows("keyword_lists", "prepared", "quantized").layers(),
              ElementsAre("x.quantize", "cat", "stack"));
  const FxShadows linear("keyword_linear", "float", "float");
  EXPECT_THAT(linear.layers(), ElementsAre("linear"));
  EXPECT_EQ(linear.sqnr(), kExact);
}

TEST_P(ReferenceShadowsTest, ArgumentsComputedFromShapesComeAlong) {
  EXPECT_THAT(FxShadows("layer_norm_of_shape", "float", "prepared").layers(),
              ElementsAre("layer_norm"));
  const FxShadows quantized("layer_norm_of_shape", "prepared", "quantized");
  EXPECT_THAT(quantized.layers(), ElementsAre("x.quantize", "layer_norm"));
  EXPECT_GT(quantized.sqnr(), kInt8);
}

}  // namespace
}  // namespace ns
