#include "ns/suite/numeric_suite.h"

#include <ATen/Functions.h>

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/quantization/model/quantize_model.h"
#include "passes/extraction/extract_logger_info.h"
#include "passes/extraction/extract_weights.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

class NumericSuiteTest : public testing::Test {
 protected:
  NumericSuiteTest() {
    at::manual_seed(1);
    weight_ = at::randn({5, 4});
  }
  ModelGraph Float() const {
    return OrThrow(ModelGraph::FromModule(
        MakeModel({{"fc", Linear(weight_)}}, {"return self.fc.forward(x)"})));
  }
  ModelGraph Quantized() const {
    return OrThrow(ModelGraph::FromModule(MakeModel(
        {{"quant", Quantize()}, {"fc", QuantizedLinear(weight_, false)}},
        {"return self.fc.forward(self.quant.forward(x))"})));
  }

  at::Tensor weight_;
};

TEST_F(NumericSuiteTest, ExtractsTheWeightsOfBothModels) {
  const Results results =
      OrThrow(ExtractWeights("float", Float(), "int8", Quantized()));
  ASSERT_THAT(results.layers(), SizeIs(1));
  const ResultsByModel& weights = results.Find("fc")->at(kWeightResult);
  EXPECT_TRUE(weights.at("float").at(0).values.at(0).equal(weight_));
  EXPECT_TRUE(weights.at("int8").at(0).values.at(0).is_quantized());
}

// Both headers are included: their functions must not be ambiguous.
TEST_F(NumericSuiteTest, BracesAreTheDefaultMatchOptions) {
  const ExtractWeightsOptions options;
  EXPECT_THAT(OrThrow(ExtractWeights("float", Float(), "int8", Quantized(), {},
                                     options))
                  .layers(),
              SizeIs(1));
}

TEST_F(NumericSuiteTest, WeightsOfAPreparedModelAreThoseOfTheFloatOne) {
  const ModelGraph prepared = OrThrow(PrepareModel(Float(), {}));
  const ModelGraph quantized = Quantized();
  for (const ModelGraph* other : {&prepared, &quantized}) {
    const Results results =
        OrThrow(ExtractWeights("prepared", prepared, "other", *other));
    ASSERT_THAT(results.layers(), SizeIs(1));
    const ResultsByModel& weights = results.Find("fc")->at(kWeightResult);
    EXPECT_TRUE(weights.at("prepared").at(0).values.at(0).equal(weight_));
  }
}

TEST_F(NumericSuiteTest, LayersGetTheNamesOfTheChosenModel) {
  const ModelGraph a = OrThrow(ModelGraph::FromModule(
      MakeModel({{"head", Linear(weight_)}}, {"return self.head.forward(x)"})));
  const ModelGraph b = Quantized();
  MatchOptions options;
  options.naming = LayerNaming::kByA;
  const Results weights =
      OrThrow(ExtractWeights("float", a, "int8", b, options));
  ASSERT_THAT(weights.layers(), SizeIs(1));
  EXPECT_EQ(weights.layers()[0].first, "head");

  const LoggedModels logged = OrThrow(AddLoggers("float", a, "int8", b));
  const std::vector<torch::jit::Module> modules = {logged.a.module(),
                                                   logged.b.module()};
  EXPECT_NE(OrThrow(ExtractLoggerInfo(modules)).Find("fc"), nullptr);
  ExtractLoggerInfoOptions by_float;
  by_float.model_name_to_use_for_layer_names = "float";
  const Results outputs = OrThrow(ExtractLoggerInfo(modules, by_float));
  EXPECT_EQ(outputs.Find("fc"), nullptr);
  ASSERT_NE(outputs.Find("head"), nullptr);
  EXPECT_THAT(outputs.Find("head")->at(kNodeOutputResult), SizeIs(2));
}

TEST_F(NumericSuiteTest, AddsLoggersToCopies) {
  const ModelGraph a = Float();
  const ModelGraph b = Quantized();
  LoggedModels logged = OrThrow(AddLoggers("float", a, "int8", b));
  const at::Tensor x = at::rand({2, 4});
  OrThrow(logged.a.Run({x}));
  OrThrow(logged.b.Run({x}));
  const Results results =
      OrThrow(ExtractLoggerInfo({logged.a.module(), logged.b.module()}));
  const ResultsByModel& outputs = results.Find("fc")->at(kNodeOutputResult);
  EXPECT_THAT(outputs.at("float").at(0).values, SizeIs(1));
  EXPECT_THAT(outputs.at("int8").at(0).values, SizeIs(1));
  EXPECT_THAT(AttachedLoggers(a.module()), IsEmpty());
  EXPECT_THAT(AttachedLoggers(b.module()), IsEmpty());
}

}  // namespace
}  // namespace ns
