// What PyTorch's tests of compare_model_outputs claim, on the models they use.
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/eager/eager_suite.h"
#include "tests/ns/eager/eager_cases.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::UnorderedElementsAre;

class CompareModelOutputsCasesTest : public EagerCaseTest {
 protected:
  LoggerDict Compare(const std::string& name) {
    const EagerCase pair = Load(name);
    LoggerDict dict = OrThrow(CompareModelOutputs(
        pair.float_module, pair.quantized_module, pair.batches));
    ExpectShapesAgree(dict);
    return dict;
  }
};

TEST_P(CompareModelOutputsCasesTest, StaticConvs) {
  for (const char* name : {"conv", "conv_bn_relu"}) {
    EXPECT_THAT(Keys(Compare(name)),
                UnorderedElementsAre("conv.stats", "quant.stats"))
        << name;
  }
}

TEST_P(CompareModelOutputsCasesTest, StaticLinear) {
  EXPECT_THAT(Keys(Compare("linear")),
              UnorderedElementsAre("fc1.quant.stats", "fc1.module.stats"));
}

TEST_P(CompareModelOutputsCasesTest, FunctionalsButArithmeticWithNumbers) {
  EXPECT_THAT(Keys(Compare("functionals")),
              UnorderedElementsAre("mycat.stats", "myadd.stats", "mymul.stats",
                                   "myadd_relu.stats", "quant.stats"));
}

TEST_P(CompareModelOutputsCasesTest, DynamicLinear) {
  EXPECT_THAT(Keys(Compare("linear_dynamic")),
              UnorderedElementsAre("fc1.stats"));
}

TEST_P(CompareModelOutputsCasesTest, DynamicLstmWithState) {
  EXPECT_THAT(Keys(Compare("lstm_dynamic")),
              UnorderedElementsAre("lstm.stats"));
}

NS_INSTANTIATE_ON_ENGINES(CompareModelOutputsCasesTest);

}  // namespace
}  // namespace ns
