#include "ns/eager/eager_suite.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/batches/batch.h"
#include "ns/eager/logger_dict.h"
#include "tests/testing/engines.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;
using ::torch::jit::Module;

constexpr char kLinear[] = "torch.nn.modules.linear.Linear";

class EagerSuiteTest : public EngineTest {
 protected:
  static Module Stub(const std::string& type) {
    return MakeModule(type,
                      "def forward(self, x: Tensor) -> Tensor:\n"
                      "    return x\n");
  }

  static Batch BatchOf(const at::Tensor& x) { return {{x}, {}, "images.pt"}; }

  const at::Tensor weight_ = at::randn({3, 4});
  const std::vector<std::string> body_ = {"x = self.quant.forward(x)",
                                          "x = self.fc.forward(x)",
                                          "return self.dequant.forward(x)"};
  const Module float_ =
      MakeModel({{"quant", Stub("torch.ao.quantization.stubs.QuantStub")},
                 {"fc", Linear(weight_)},
                 {"dequant", Stub("torch.ao.quantization.stubs.DeQuantStub")}},
                body_);
  const Module quantized_ = MakeModel({{"quant", Quantize()},
                                       {"fc", QuantizedLinear(weight_, false)},
                                       {"dequant", DeQuantize()}},
                                      body_);
  const std::vector<Batch> batches_ = {BatchOf(at::rand({2, 4})),
                                       BatchOf(at::rand({5, 4}))};
};

TEST_P(EagerSuiteTest, OutputsAreThoseOfBothModelsOnTheirOwnValues) {
  const LoggerDict dict =
      OrThrow(CompareModelOutputs(float_, quantized_, batches_));
  const LoggerStats& fc = *FindStats(dict, "fc.stats");
  ASSERT_THAT(fc.at(kFloatValues), SizeIs(2));
  ASSERT_THAT(fc.at(kQuantizedValues), SizeIs(2));
  for (size_t i = 0; i < 2; ++i) {
    const at::Tensor x = batches_[i].arguments[0].toTensor();
    const at::Tensor y = at::linear(x, weight_);
    EXPECT_TRUE(at::allclose(fc.at(kFloatValues)[i], y));
    EXPECT_TRUE(
        at::allclose(fc.at(kQuantizedValues)[i].dequantize(), y, 0.05, 0.15));
  }
}

// The shadow sees the quantized values: what differs is the layer's own error.
TEST_P(EagerSuiteTest, StubsRunOnTheValuesOfTheQuantizedModel) {
  const LoggerDict dict =
      OrThrow(CompareModelStub(float_, quantized_, {kLinear}, batches_));
  ASSERT_THAT(dict, SizeIs(1));
  const LoggerStats& fc = *FindStats(dict, "fc.stats");
  for (size_t i = 0; i < 2; ++i) {
    const at::Tensor x =
        at::quantize_per_tensor(batches_[i].arguments[0].toTensor(), 0.05, 64,
                                at::kQUInt8)
            .dequantize();
    EXPECT_TRUE(
        at::allclose(fc.at(kFloatValues).at(i), at::linear(x, weight_)));
    EXPECT_EQ(fc.at(kQuantizedValues).at(i).sizes(),
              at::IntArrayRef({i == 0 ? 2 : 5, 3}));
  }
}

TEST_P(EagerSuiteTest, WithoutBatchesThereIsNothing) {
  EXPECT_THAT(OrThrow(CompareModelOutputs(float_, quantized_, {})), IsEmpty());
  EXPECT_THAT(OrThrow(CompareModelStub(float_, quantized_, {kLinear}, {})),
              SizeIs(1));
}

TEST_P(EagerSuiteTest, NamesTheBatchAndTheModelThatItDoesNotFit) {
  std::vector<Batch> batches = batches_;
  batches.push_back(BatchOf(at::rand({2, 7})));
  EXPECT_THAT(MessageOf(CompareModelOutputs(float_, quantized_, batches)),
              StartsWith("images.pt: the float model, "));
  EXPECT_THAT(
      MessageOf(CompareModelStub(float_, quantized_, {kLinear}, batches)),
      StartsWith("images.pt: the quantized model, "));
  EXPECT_THAT(MessageOf(CompareModelOutputs(float_, quantized_, {Batch{}})),
              HasSubstr("method 'forward' takes 1"));
}

TEST_P(EagerSuiteTest, RefusesASwapListThatNamesNoModule) {
  EXPECT_FALSE(
      CompareModelStub(float_, quantized_, {"no.such.Type"}, batches_).ok());
}

NS_INSTANTIATE_ON_ENGINES(EagerSuiteTest);

}  // namespace
}  // namespace ns
