#include "ns/quantization/model/output_error.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/flatten/inline_modules.h"
#include "tests/testing/engines.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class OutputErrorTest : public EngineTest {
 protected:
  OutputErrorTest() { at::manual_seed(3); }

  ModelGraph FloatModel(const std::vector<std::string>& body,
                        const ModelGraphOptions& options = {}) const {
    return OrThrow(ModelGraph::FromModule(
        MakeModel({{"fc", Linear(weight_)}}, body), options));
  }
  ModelGraph QuantizedModel(const std::vector<std::string>& body,
                            const ModelGraphOptions& options = {}) const {
    return OrThrow(ModelGraph::FromModule(
        MakeModel({{"fc", QuantizedLinear(weight_, false)}}, body), options));
  }
  BatchReader Reader() const { return BatchReader::FromBatches(batches_); }

  const at::Tensor weight_ = at::rand({3, 3});
  const std::vector<Batch> batches_ = {{{at::rand({2, 3})}, {}},
                                       {{at::rand({1, 3}) + 5}, {}}};
  const std::string quantized_ =
      "self.fc.forward(torch.quantize_per_tensor(x, 0.05, 64, 13))";
};

TEST_P(OutputErrorTest, PoolsElementsOfAllBatches) {
  const OutputErrors errors = OrThrow(
      MeasureOutputErrors(FloatModel({"return x"}),
                          QuantizedModel({"return torch.floor(x)"}), Reader()));
  double signal = 0;
  double noise = 0;
  for (const Batch& batch : batches_) {
    const at::Tensor x = batch.arguments[0].toTensor();
    signal += x.square().sum().item<double>();
    noise += (x - x.floor()).square().sum().item<double>();
  }
  ASSERT_THAT(errors.outputs, SizeIs(1));
  EXPECT_EQ(errors.outputs[0].name, "output");
  EXPECT_NEAR(errors.outputs[0].sqnr_db, 10 * std::log10(signal / noise), 1e-4);
  EXPECT_THAT(errors.warnings, IsEmpty());
}

TEST_P(OutputErrorTest, QuantizedOutputsAreDequantized) {
  const OutputErrors errors = OrThrow(
      MeasureOutputErrors(FloatModel({"return self.fc.forward(x)"}),
                          QuantizedModel({"return " + quantized_}), Reader()));
  ASSERT_THAT(errors.outputs, SizeIs(1));
  EXPECT_GT(errors.outputs[0].sqnr_db, 10);
  EXPECT_LT(errors.outputs[0].sqnr_db, 60);
}

TEST_P(OutputErrorTest, FindsTensorsInTuplesListsAndDicts) {
  const OutputErrors errors = OrThrow(MeasureOutputErrors(
      FloatModel({"return (x, ([x, x], {'a': x}), 3)"}),
      QuantizedModel({"return (x, ([x * 0.9, x], {'a': x * 0.99}), 3)"}),
      Reader()));
  std::vector<std::string> names;
  for (const OutputError& output : errors.outputs) {
    names.push_back(output.name);
  }
  ASSERT_THAT(names, ElementsAre("output[0]", "output[1][0][0]",
                                 "output[1][0][1]", "output[1][1]['a']"));
  EXPECT_EQ(errors.outputs[0].sqnr_db, std::numeric_limits<double>::infinity());
  EXPECT_NEAR(errors.outputs[1].sqnr_db, 20, 1e-3);
  EXPECT_NEAR(errors.outputs[3].sqnr_db, 40, 1e-3);
}

TEST_P(OutputErrorTest, TellsWhichOutputsHoldIntegers) {
  const OutputErrors errors = OrThrow(MeasureOutputErrors(
      FloatModel({"return (x, x.argmax(1))"}),
      QuantizedModel({"return (x, x.argmin(1))"}), Reader()));
  ASSERT_THAT(errors.outputs, SizeIs(2));
  EXPECT_FALSE(errors.outputs[0].holds_integers);
  EXPECT_TRUE(errors.outputs[1].holds_integers);
}

TEST_P(OutputErrorTest, ModulesThatStayedCallsAreNoOutputs) {
  ModelGraphOptions options;
  options.is_leaf = [](const ModulePath&) { return true; };
  const OutputErrors errors = OrThrow(MeasureOutputErrors(
      FloatModel({"return self.fc.forward(x)"}, options),
      QuantizedModel({"return " + quantized_}, options), Reader()));
  ASSERT_THAT(errors.outputs, SizeIs(1));
  EXPECT_EQ(errors.outputs[0].name, "output");
}

TEST_P(OutputErrorTest, ModelsWithoutTensorsGetAWarning) {
  const OutputErrors errors = OrThrow(MeasureOutputErrors(
      FloatModel({"return 2"}), QuantizedModel({"return 2"}), Reader()));
  EXPECT_THAT(errors.outputs, IsEmpty());
  EXPECT_THAT(errors.warnings, ElementsAre(HasSubstr("return no tensor")));
}

TEST_P(OutputErrorTest, WarnsOfNonFiniteInputsAndCountsBatches) {
  std::vector<Batch> batches = batches_;
  batches[1].arguments[0] =
      at::full({1, 3}, std::numeric_limits<float>::quiet_NaN());
  std::vector<int64_t> done;
  const OutputErrors errors = OrThrow(MeasureOutputErrors(
      FloatModel({"return x"}), QuantizedModel({"return x"}),
      BatchReader::FromBatches(batches), [&](int64_t count, int64_t total) {
        EXPECT_EQ(total, 2);
        done.push_back(count);
      }));
  ASSERT_THAT(errors.outputs, SizeIs(1));
  EXPECT_TRUE(std::isnan(errors.outputs[0].sqnr_db));
  EXPECT_THAT(errors.warnings, ElementsAre(HasSubstr("inputs hold NaN")));
  EXPECT_THAT(done, ElementsAre(1, 2));
}

TEST_P(OutputErrorTest, BatchThatDoesNotFitIsNamed) {
  EXPECT_THAT(MessageOf(MeasureOutputErrors(
                  FloatModel({"return x"}),
                  QuantizedModel({"return torch.mm(x, torch.ones([7, 7]))"}),
                  Reader())),
              HasSubstr("batch 0: the quantized model"));
}

NS_INSTANTIATE_ON_ENGINES(OutputErrorTest);

}  // namespace
}  // namespace ns
