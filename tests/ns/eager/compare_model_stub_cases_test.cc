// What PyTorch's tests of compare_model_stub and ShadowLogger claim, on the
// models they use.
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/model/model_graph.h"
#include "ns/eager/eager_suite.h"
#include "ns/eager/prepare_model_with_stubs.h"
#include "tests/ns/eager/eager_cases.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;

class CompareModelStubCasesTest : public EagerCaseTest {
 protected:
  LoggerDict Compare(const std::string& name,
                     const std::vector<std::string>& swap_list) {
    const EagerCase pair = Load(name);
    LoggerDict dict = OrThrow(CompareModelStub(
        pair.float_module, pair.quantized_module, swap_list, pair.batches));
    ExpectShapesAgree(dict);
    ExpectSameOutput(pair, swap_list);
    return dict;
  }

  // The shadows must not change what the quantized model returns.
  static void ExpectSameOutput(const EagerCase& pair,
                               const std::vector<std::string>& swap_list) {
    ModelGraph prepared = OrThrow(PrepareModelWithStubs(
        pair.float_module, pair.quantized_module, swap_list));
    ModelGraph plain = OrThrow(ModelGraph::FromModule(pair.quantized_module));
    for (const Batch& batch : pair.batches) {
      const std::vector<at::Tensor> with_shadows =
          Tensors(OrThrow(prepared.Run(batch.arguments)));
      const std::vector<at::Tensor> without =
          Tensors(OrThrow(plain.Run(batch.arguments)));
      ASSERT_EQ(with_shadows.size(), without.size());
      for (size_t i = 0; i < without.size(); ++i) {
        EXPECT_TRUE(with_shadows[i].equal(without[i]));
      }
    }
  }

  static std::vector<at::Tensor> Tensors(const c10::IValue& value) {
    if (value.isTensor()) {
      return {value.toTensor()};
    }
    std::vector<at::Tensor> tensors;
    for (const c10::IValue& element : value.toTupleRef().elements()) {
      for (const at::Tensor& tensor : Tensors(element)) {
        tensors.push_back(tensor);
      }
    }
    return tensors;
  }
};

TEST_P(CompareModelStubCasesTest, StaticConvs) {
  const std::vector<std::string> convs = {"Conv2d", "ConvReLU2d",
                                          "ConvTranspose2d"};
  for (const char* name : {"conv", "conv_bn_relu", "conv_transpose"}) {
    EXPECT_THAT(Keys(Compare(name, convs)), ElementsAre("conv.stats")) << name;
  }
}

TEST_P(CompareModelStubCasesTest, StaticLinear) {
  EXPECT_THAT(Keys(Compare("linear", {"Linear"})),
              ElementsAre("fc1.module.stats"));
}

TEST_P(CompareModelStubCasesTest, LinearThatStayedFloatHasNoStub) {
  EXPECT_THAT(Keys(Compare("two_linears", {"Linear"})),
              ElementsAre("fc2.module.stats"));
}

TEST_P(CompareModelStubCasesTest, QuantizedSubmoduleHasAStubAndFloatConvNone) {
  EXPECT_THAT(Keys(Compare("submodule", {"Block", "Conv2d"})),
              ElementsAre("mod1.stats"));
}

TEST_P(CompareModelStubCasesTest, FunctionalsHaveAStubForEveryMethod) {
  EXPECT_THAT(Keys(Compare("functionals", {"FloatFunctional"})),
              ElementsAre("mycat.stats", "myadd.stats", "mymul.stats",
                          "myadd_relu.stats", "my_scalar_add.stats",
                          "my_scalar_mul.stats"));
}

TEST_P(CompareModelStubCasesTest, DynamicLinear) {
  EXPECT_THAT(Keys(Compare("linear_dynamic", {"Linear", "LSTM"})),
              ElementsAre("fc1.stats"));
}

TEST_P(CompareModelStubCasesTest, DynamicLstmWithState) {
  EXPECT_THAT(Keys(Compare("lstm_dynamic", {"Linear", "LSTM"})),
              ElementsAre("lstm.stats"));
}

NS_INSTANTIATE_ON_ENGINES(CompareModelStubCasesTest);

}  // namespace
}  // namespace ns
