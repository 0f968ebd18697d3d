// What PyTorch's tests of compare_weights claim, on the models they use.
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/eager/compare_weights.h"
#include "tests/ns/eager/eager_cases.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

class CompareWeightsCasesTest : public EagerCaseTest {
 protected:
  LoggerDict Compare(const std::string& name) {
    const EagerCase pair = Load(name);
    return OrThrow(CompareWeights(pair.float_module, pair.quantized_module));
  }
};

TEST_P(CompareWeightsCasesTest, StaticConvHasOneWeightOfOneShape) {
  const LoggerDict weights = Compare("conv");
  EXPECT_THAT(Keys(weights), ElementsAre("conv.weight"));
  ExpectShapesAgree(weights);
}

TEST_P(CompareWeightsCasesTest, StaticFusedConvHasOneWeightOfOneShape) {
  const LoggerDict weights = Compare("conv_bn_relu");
  EXPECT_THAT(Keys(weights), ElementsAre("conv.weight"));
  ExpectShapesAgree(weights);
}

TEST_P(CompareWeightsCasesTest, StaticLinearHasOneWeightOfOneShape) {
  const LoggerDict weights = Compare("linear");
  EXPECT_THAT(Keys(weights),
              ElementsAre("fc1.module._packed_params._packed_params"));
  ExpectShapesAgree(weights);
}

TEST_P(CompareWeightsCasesTest, DynamicLinearHasOneWeightOfOneShape) {
  const LoggerDict weights = Compare("linear_dynamic");
  EXPECT_THAT(Keys(weights), ElementsAre("fc1._packed_params._packed_params"));
  ExpectShapesAgree(weights);
}

TEST_P(CompareWeightsCasesTest, DynamicLstmHasBothWeightsUnderOneKey) {
  const LoggerDict weights = Compare("lstm_dynamic");
  EXPECT_THAT(Keys(weights), ElementsAre("lstm._all_weight_values.0.param"));
  ExpectShapesAgree(weights);
  const EagerCase pair = Load("lstm_dynamic");
  const torch::jit::Module lstm = pair.float_module.attr("lstm").toModule();
  const std::vector<at::Tensor>& of_float = weights[0].second.at(kFloatValues);
  ASSERT_THAT(of_float, SizeIs(2));
  EXPECT_TRUE(of_float[0].equal(lstm.attr("weight_ih_l0").toTensor()));
  EXPECT_TRUE(of_float[1].equal(lstm.attr("weight_hh_l0").toTensor()));
}

TEST_P(CompareWeightsCasesTest, CompatHasLstmsLastWeightAlone) {
  const EagerCase pair = Load("lstm_dynamic");
  const LoggerDict weights = OrThrow(CompareWeights(
      pair.float_module, pair.quantized_module, {/*compat=*/true}));
  const LoggerDict right = Compare("lstm_dynamic");
  for (const char* side : {kFloatValues, kQuantizedValues}) {
    const std::vector<at::Tensor>& values = weights.at(0).second.at(side);
    ASSERT_THAT(values, SizeIs(1));
    EXPECT_TRUE(values[0].equal(right[0].second.at(side)[1]));
  }
}

NS_INSTANTIATE_ON_ENGINES(CompareWeightsCasesTest);

}  // namespace
}  // namespace ns
