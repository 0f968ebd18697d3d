// What PyTorch's tests claim of add_loggers and extract_logger_info, of ours:
// the table in tests/README.md says which test is for which case.
#include <ATen/Functions.h>

#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/suite/numeric_suite.h"
#include "passes/extraction/extract_logger_info.h"
#include "passes/instrument/logger_info.h"
#include "passes/matching/graph_matcher.h"
#include "tests/testing/engines.h"
#include "tests/testing/fx_cases.h"
#include "tests/testing/results.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::SizeIs;

using Layers = std::vector<std::string>;

// Rounding of a folded norm, of half precision, and of int8 activations, in dB.
constexpr double kRounding = 100;
constexpr double kHalf = 60;
constexpr double kInt8 = 20;

LoggedModels AddLoggersTo(const std::string& name, const std::string& stage_a,
                          const std::string& stage_b, bool inputs = false) {
  MatchOptions match;
  match.mode = MatchingMode::kStrict;
  LoggerOptions loggers;
  loggers.should_log_inputs = inputs;
  return OrThrow(AddLoggers("a", FxModel(name, stage_a), "b",
                            FxModel(name, stage_b), loggers, match));
}

Results RunBoth(LoggedModels& models, const std::string& name) {
  OrThrow(models.a.Run(FxInputs(name)));
  OrThrow(models.b.Run(FxInputs(name)));
  return OrThrow(ExtractLoggerInfo({models.a.module(), models.b.module()}));
}

Results Log(const std::string& name, const std::string& stage_a,
            const std::string& stage_b, bool inputs = false) {
  LoggedModels models = AddLoggersTo(name, stage_a, stage_b, inputs);
  Results results = RunBoth(models, name);
  ExpectComparable(results);
  return results;
}

// What both pairs of models log: the float with the prepared one, where a QAT
// model differs, and the prepared with the quantized one. Returns the latter.
Results ExpectLayers(const std::string& name, const Layers& layers,
                     const Layers& quantized_layers, bool is_qat = false) {
  const Results first = Log(name, "float", "prepared");
  EXPECT_THAT(LayersWith(first, kNodeOutputResult), ElementsAreArray(layers));
  EXPECT_GT(LowestSqnr(first, kNodeOutputResult), is_qat ? kInt8 : kRounding);
  Results second = Log(name, "prepared", "quantized");
  EXPECT_THAT(LayersWith(second, kNodeOutputResult),
              ElementsAreArray(quantized_layers));
  return second;
}

using ReferenceLoggersTest = EngineTest;
NS_INSTANTIATE_ON_ENGINES(ReferenceLoggersTest);

TEST_P(ReferenceLoggersTest, LogModules) {
  const Results results =
      ExpectLayers("stub_two_convs", {"1", "2"}, {"input.quantize", "1", "2"});
  EXPECT_GT(LowestSqnr(results, kNodeOutputResult), kInt8);
}

TEST_P(ReferenceLoggersTest, LogModulesTrainedWithFakeQuantization) {
  const Results results = ExpectLayers("stub_two_convs_qat", {"1", "2"},
                                       {"input.quantize", "1", "2"}, true);
  EXPECT_GT(LowestSqnr(results, kNodeOutputResult), kInt8);
}

TEST_P(ReferenceLoggersTest, LogFunctions) {
  const Results results = ExpectLayers("linears_fun", {"linear", "linear@1"},
                                       {"x.quantize", "linear_relu", "linear"});
  EXPECT_GT(LowestSqnr(results, kNodeOutputResult), kInt8);
}

TEST_P(ReferenceLoggersTest, LogFunctionsTrainedWithFakeQuantization) {
  const Results results =
      ExpectLayers("linears_fun_qat", {"linear", "linear@1"},
                   {"x.quantize", "linear_relu", "linear"}, true);
  EXPECT_GT(LowestSqnr(results, kNodeOutputResult), kInt8);
}

TEST_P(ReferenceLoggersTest, LogMethods) {
  // The input is quantized with the scale of a sigmoid's output: no SQNR.
  ExpectLayers("sigmoid_method", {"sigmoid"}, {"x.quantize", "sigmoid"});
}

TEST_P(ReferenceLoggersTest, TellThePathOfTheModule) {
  const Results results = Log("nested_convs", "prepared", "quantized");
  EXPECT_THAT(LayersWith(results, kNodeOutputResult),
              ElementsAre("input.quantize", "0.0", "1"));
  for (const char* layer : {"0.0", "1"}) {
    for (const auto& [model, records] :
         results.Find(layer)->at(kNodeOutputResult)) {
      ASSERT_THAT(records, SizeIs(1));
      EXPECT_EQ(records[0].info.fqn, layer) << model;
    }
  }
}

TEST_P(ReferenceLoggersTest, LogOpsThatTakeEitherDtype) {
  const Results results = ExpectLayers("pool_relu", {"pool", "relu"},
                                       {"x.quantize", "pool", "relu"});
  for (const char* layer : {"pool", "relu"}) {
    const ResultsByModel& models = results.Find(layer)->at(kNodeOutputResult);
    EXPECT_FALSE(models.at("a").at(0).values.at(0).is_quantized());
    EXPECT_TRUE(models.at("b").at(0).values.at(0).is_quantized());
  }
}

// Of "1 + x" and "x * 1" the tensor is an input, the number is not.
TEST_P(ReferenceLoggersTest, LogInputsOfAddAndMul) {
  const Results results = Log("add_mul", "float", "prepared", true);
  const Layers layers = {"add", "mul", "add@1", "mul@1", "add@2", "mul@2"};
  EXPECT_THAT(LayersWith(results, kNodeOutputResult), ElementsAreArray(layers));
  EXPECT_THAT(LayersWith(results, kNodeInputResult), ElementsAreArray(layers));
  for (const std::string& layer : layers) {
    const bool of_two_tensors = layer == "add@2" || layer == "mul@2";
    for (const auto& [model, records] :
         results.Find(layer)->at(kNodeInputResult)) {
      EXPECT_THAT(records, SizeIs(of_two_tensors ? 2 : 1)) << layer << model;
    }
  }
}

// What a logger of an input saw is what the logger of the layer before saw.
TEST_P(ReferenceLoggersTest, LogAsInputWhatTheLayerBeforeMade) {
  const Results results = Log("add_mul", "float", "prepared", true);
  for (const char* model : {"a", "b"}) {
    EXPECT_TRUE(results.Find("mul")
                    ->at(kNodeInputResult)
                    .at(model)
                    .at(0)
                    .values.at(0)
                    .equal(results.Find("add")
                               ->at(kNodeOutputResult)
                               .at(model)
                               .at(0)
                               .values.at(0)));
  }
}

TEST_P(ReferenceLoggersTest, LogHalfPrecisionWithAndWithoutInputs) {
  for (const bool inputs : {false, true}) {
    for (const char* stage_a : {"float", "prepared"}) {
      LoggedModels models =
          AddLoggersTo("linear_relu_half", stage_a, "quantized", inputs);
      EXPECT_THAT(AttachedLoggers(models.a.module()), SizeIs(inputs ? 2 : 1));
      EXPECT_THAT(AttachedLoggers(models.b.module()), SizeIs(inputs ? 2 : 1));
      const Results results = RunBoth(models, "linear_relu_half");
      ExpectComparable(results);
      EXPECT_GT(LowestSqnr(results, kNodeOutputResult), kHalf);
      EXPECT_EQ(results.Find("linear")
                    ->at(kNodeOutputResult)
                    .at("b")
                    .at(0)
                    .values.at(0)
                    .scalar_type(),
                at::kHalf);
    }
  }
}

TEST_P(ReferenceLoggersTest, NameLayersByTheQuantizedModel) {
  const Results results = Log("convs_sigmoid", "prepared", "quantized");
  EXPECT_THAT(LayersWith(results, kNodeOutputResult),
              ElementsAre("input.quantize", "0", "1", "2"));
  const ResultsByModel& models = results.Find("2")->at(kNodeOutputResult);
  EXPECT_EQ(models.at("b").at(0).info.layer, "2");
  EXPECT_EQ(models.at("a").at(0).info.layer, "2");
}

TEST_P(ReferenceLoggersTest, KeepOutputsOfModelsInTraining) {
  const std::string name = "two_convs_qat";
  LoggedModels logged = AddLoggersTo(name, "prepared", "quantized");
  ModelGraph prepared = FxModel(name, "prepared");
  ModelGraph quantized = FxModel(name, "quantized");
  const std::vector<c10::IValue> inputs = FxInputs(name);
  EXPECT_TRUE(OrThrow(logged.a.Run(inputs))
                  .toTensor()
                  .equal(OrThrow(prepared.Run(inputs)).toTensor()));
  EXPECT_TRUE(OrThrow(logged.b.Run(inputs))
                  .toTensor()
                  .equal(OrThrow(quantized.Run(inputs)).toTensor()));
}

TEST_P(ReferenceLoggersTest, LogPlainFusedAndNormalizedConvolutions) {
  for (const char* name :
       {"torch_conv", "torch_conv_bn", "torch_conv_bn_relu"}) {
    SCOPED_TRACE(name);
    const Results results =
        ExpectLayers(name, {"conv"}, {"x.quantize", "conv"});
    EXPECT_GT(LowestSqnr(results, kNodeOutputResult), kInt8);
  }
}

TEST_P(ReferenceLoggersTest, LogStaticAndDynamicLinears) {
  EXPECT_GT(
      LowestSqnr(ExpectLayers("torch_linear", {"fc1"}, {"x.quantize", "fc1"}),
                 kNodeOutputResult),
      kInt8);
  EXPECT_GT(LowestSqnr(ExpectLayers("torch_linear_dynamic", {"fc1"}, {"fc1"}),
                       kNodeOutputResult),
            kInt8);
}

TEST_P(ReferenceLoggersTest, LogDynamicLstm) {
  const Results results = ExpectLayers("lstm_dynamic", {"lstm"}, {"lstm"});
  EXPECT_GT(LowestSqnr(results, kNodeOutputResult), kInt8);
}

TEST_P(ReferenceLoggersTest, LogEmbeddingsWithDenseLayers) {
  const Layers layers = {"model_sparse.emb_bag", "dense_top.dense_mlp.0", "cat",
                         "dense_top.top_mlp.0", "dense_top.top_mlp.1"};
  ExpectLayers("torch_sparse_nn", layers,
               {"dense.quantize", layers[0], "model_sparse.emb_bag.quantize",
                layers[1], layers[2], layers[3], layers[4]});
  // Quantize points have no inputs: their output in A is what B quantizes.
  for (const auto& [a, b] :
       {std::pair("float", "prepared"), std::pair("prepared", "quantized")}) {
    const Results inputs = Log("torch_sparse_nn", a, b, true);
    EXPECT_THAT(LayersWith(inputs, kNodeInputResult), ElementsAreArray(layers));
  }
}

}  // namespace
}  // namespace ns
