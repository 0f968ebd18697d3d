#include "ns/eager/stub_comparer.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <cmath>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/eager/eager_suite.h"
#include "ns/suite/pooled_comparison.h"
#include "passes/runtime/statistics/pair_statistics.h"
#include "tests/testing/engines.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::torch::jit::Module;

class StubComparerTest : public EngineTest {
 protected:
  const at::Tensor weight_ = at::rand({3, 3});
  const std::vector<Batch> batches_ = {{{at::rand({2, 3})}, {}},
                                       {{at::rand({1, 3})}, {}}};

  Module FloatModel(const std::vector<std::string>& body) {
    return MakeModel({{"fc", Linear(weight_)}}, body);
  }
  Module QuantizedModel(const std::vector<std::string>& body) {
    return MakeModel({{"fc", QuantizedLinear(weight_, false)}}, body);
  }
};

std::vector<std::string> Body() {
  return {"return self.fc.forward(torch.quantize_per_tensor(x, 0.05, 64, 13))"};
}

TEST_P(StubComparerTest, PoolsWhatCompareModelStubKeeps) {
  const StubComparisons ours = OrThrow(CompareStubs(
      FloatModel(Body()), QuantizedModel(Body()), batches_, {{"Linear"}}));
  ASSERT_THAT(ours.stubs, SizeIs(1));
  const StubComparison& stub = ours.stubs[0];
  EXPECT_EQ(stub.name, "fc");
  EXPECT_EQ(stub.float_type, "torch.nn.modules.linear.Linear");
  EXPECT_EQ(stub.quantized_type, "torch.nn.quantized.modules.linear.Linear");
  EXPECT_THAT(stub.figures.shape, ElementsAre(2, 3));
  EXPECT_THAT(ours.warnings, IsEmpty());

  const LoggerDict kept = OrThrow(CompareModelStub(
      FloatModel(Body()), QuantizedModel(Body()), {"Linear"}, batches_));
  PairStatistics pooled;
  std::vector<double> by_batch;
  for (size_t i = 0; i < batches_.size(); ++i) {
    const PairStatistics of_batch = ComparePair(
        kept[0].second.at("float")[i], kept[0].second.at("quantized")[i]);
    by_batch.push_back(of_batch.SqnrDb());
    pooled.Merge(of_batch);
  }
  EXPECT_EQ(stub.figures.error.sqnr_db, pooled.SqnrDb());
  EXPECT_EQ(stub.figures.batch_sqnr_db, by_batch);
}

TEST_P(StubComparerTest, ModuleInLoopHasFiguresOfTrips) {
  const std::vector<std::string> body = {
      "x = torch.quantize_per_tensor(x, 0.05, 64, 13)",
      "for i in range(3):", "    x = self.fc.forward(x)", "return x"};
  const StubComparisons ours = OrThrow(CompareStubs(
      FloatModel(body), QuantizedModel(body), batches_, {{"Linear"}}));
  EXPECT_THAT(ours.stubs[0].figures.trip_sqnr_db, SizeIs(3));
}

// A module that returns a tuple: of its input, its input times `factor`, and as
// integers.
Module TupleModel(const std::string& type, const std::string& factor) {
  return MakeModel(
      {{"block", MakeModule(type,
                            "def forward(self, x: Tensor) -> Tuple[Tensor, "
                            "Tuple[Tensor, Tensor]]:\n"
                            "    return x, (torch.mul(x, " +
                                factor +
                                "), "
                                "torch.gt(x, " +
                                factor + "))\n")}},
      {"y, s = self.block.forward(x)", "return y + s[0]"});
}

TEST_P(StubComparerTest, AllTensorsOfATupleHaveFigures) {
  const StubComparisons ours = OrThrow(
      CompareStubs(TupleModel("Block", "1."), TupleModel("OtherBlock", "1.5"),
                   batches_, {{"Block"}}));
  EXPECT_THAT(ours.warnings, IsEmpty());
  ASSERT_THAT(ours.stubs, SizeIs(1));
  const StubComparison& stub = ours.stubs[0];
  EXPECT_EQ(stub.figures.error.sqnr_db, INFINITY);
  // Integers and truth values are left out.
  ASSERT_THAT(stub.outputs, SizeIs(1));
  EXPECT_EQ(stub.outputs[0].index, 1);
  EXPECT_EQ(stub.outputs[0].name, "1");
  EXPECT_NEAR(stub.outputs[0].figures.error.sqnr_db, 20 * std::log10(2), 1e-5);
  EXPECT_THAT(stub.outputs[0].figures.batch_sqnr_db, SizeIs(2));
  EXPECT_THAT(stub.outputs[0].figures.shape, ElementsAre(2, 3));
}

TEST_P(StubComparerTest, LoggersKeepAllTensorsOfATupleUnderOneKey) {
  const LoggerDict kept = OrThrow(
      CompareModelStub(TupleModel("Block", "1."),
                       TupleModel("OtherBlock", "1.5"), {"Block"}, batches_));
  ASSERT_THAT(kept, SizeIs(1));
  EXPECT_EQ(kept[0].first, "block.stats");
  const LoggerStats& stats = kept[0].second;
  EXPECT_THAT(stats, SizeIs(6));
  const at::Tensor x = batches_[1].arguments[0].toTensor();
  EXPECT_TRUE(stats.at("float").at(1).equal(x));
  EXPECT_TRUE(stats.at("quantized").at(1).equal(x));
  EXPECT_TRUE(stats.at("float_1").at(1).equal(x));
  EXPECT_TRUE(stats.at("quantized_1").at(1).equal(x * 1.5));
  EXPECT_TRUE(stats.at("float_2").at(1).equal(x > 1));
  EXPECT_TRUE(stats.at("quantized_2").at(1).equal(x > 1.5));
}

TEST_P(StubComparerTest, OutputsOfModulesMatchUnderOneKey) {
  OutputOptions options;
  options.allow_list = std::vector<std::string>{"Block"};
  const LoggerDict matching = OrThrow(
      CompareModelOutputs(TupleModel("Block", "1."), TupleModel("Block", "1.5"),
                          batches_, options));
  ASSERT_THAT(matching, SizeIs(1));
  EXPECT_EQ(matching[0].first, "block.stats");
  const LoggerStats& stats = matching[0].second;
  EXPECT_THAT(stats, SizeIs(6));
  const at::Tensor x = batches_[0].arguments[0].toTensor();
  EXPECT_TRUE(stats.at("float").at(0).equal(x));
  EXPECT_TRUE(stats.at("float_1").at(0).equal(x));
  EXPECT_TRUE(stats.at("quantized_1").at(0).equal(x * 1.5));
}

TEST_P(StubComparerTest, ReportsProgress) {
  std::vector<int64_t> seen;
  StubComparerOptions options;
  options.swap_list = {"Linear"};
  options.progress = [&](int64_t done, int64_t total) {
    seen.push_back(done);
    EXPECT_EQ(total, 2);
  };
  OrThrow(CompareStubs(FloatModel(Body()), QuantizedModel(Body()), batches_,
                       options));
  EXPECT_THAT(seen, ElementsAre(1, 2));
}

TEST_P(StubComparerTest, SwapListOfFloatModulesAloneIsAnError) {
  const std::vector<std::string> body = {"return self.fc.forward(x)"};
  EXPECT_EQ(MessageOf(CompareStubs(FloatModel(body), FloatModel(body), batches_,
                                   {{"Linear"}})),
            "no module of the swap list (Linear) is called in the quantized "
            "model and was quantized");
}

TEST_P(StubComparerTest, BatchThatDoesNotFitIsNamed) {
  const std::vector<Batch> batches = {batches_[0], {{1, 2}, {}, "in.pt: 1"}};
  EXPECT_THAT(MessageOf(CompareStubs(FloatModel(Body()), QuantizedModel(Body()),
                                     batches, {{"Linear"}})),
              HasSubstr("in.pt: 1: the quantized model, method 'forward'"));
}

TEST_P(StubComparerTest, WarnsOfModulesThatAreFusedOnOneSideAlone) {
  const StubComparisons ours = OrThrow(CompareStubs(
      FloatModel(Body()),
      MakeModel({{"fc", QuantizedLinear(weight_, /*relu=*/true)}}, Body()),
      batches_, {{"Linear"}}));
  EXPECT_THAT(ours.warnings,
              ElementsAre(HasSubstr("not in the float one: fc; fuse")));
}

NS_INSTANTIATE_ON_ENGINES(StubComparerTest);

}  // namespace
}  // namespace ns
