#include "ns/eager/output_comparer.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/eager/eager_suite.h"
#include "passes/runtime/statistics/pair_statistics.h"
#include "tests/ns/eager/eager_cases.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::torch::jit::Module;

std::vector<std::string> Names(const OutputComparisons& comparisons) {
  std::vector<std::string> names;
  for (const ModuleOutputComparison& output : comparisons.outputs) {
    names.push_back(output.name);
  }
  return names;
}

class OutputComparerCasesTest : public EagerCaseTest {};

// What CompareModelOutputs keeps has the figures that are pooled here.
TEST_P(OutputComparerCasesTest, PoolsWhatCompareModelOutputsKeeps) {
  for (const std::string name : {"conv_bn_relu", "two_linears", "submodule",
                                 "functionals", "lstm_dynamic"}) {
    SCOPED_TRACE(name);
    const EagerCase pair = Load(name);
    const OutputComparisons ours =
        OrThrow(CompareOutputs(pair.float_module, pair.quantized_module,
                               BatchReader::FromBatches(pair.batches)));
    const LoggerDict kept = OrThrow(CompareModelOutputs(
        pair.float_module, pair.quantized_module, pair.batches));
    ASSERT_FALSE(kept.empty());
    size_t rows = 0;
    for (const auto& [key, stats] : kept) {
      const std::string path = key.substr(0, key.rfind(".stats"));
      for (const auto& [list, x] : stats) {
        absl::string_view output = list;
        if (!absl::ConsumePrefix(&output, kFloatValues)) {
          continue;
        }
        const auto& y = stats.at(absl::StrCat(kQuantizedValues, output));
        PairStatistics pooled;
        for (size_t j = 0; j < x.size(); ++j) {
          pooled.Merge(ComparePair(x[j], y[j]));
        }
        absl::ConsumePrefix(&output, "_");
        const std::string name =
            output.empty() ? path : absl::StrCat(path, " (", output, ")");
        const auto row = absl::c_find_if(
            ours.outputs, [&](const auto& one) { return one.name == name; });
        ASSERT_NE(row, ours.outputs.end()) << name;
        EXPECT_NE(row->float_type, "");
        EXPECT_EQ(row->figures.error.sqnr_db, pooled.SqnrDb());
        ++rows;
      }
    }
    ASSERT_GT(ours.outputs.size(), rows);
    for (size_t i = rows; i < ours.outputs.size(); ++i) {
      EXPECT_THAT(ours.outputs[i].name, testing::StartsWith("output"));
      EXPECT_EQ(ours.outputs[i].quantized_type, "");
    }
  }
}

NS_INSTANTIATE_ON_ENGINES(OutputComparerCasesTest);

class OutputComparerTest : public EngineTest {
 protected:
  OutputComparisons Compare(const std::vector<std::string>& float_body,
                            const std::vector<std::string>& quantized_body,
                            const OutputComparerOptions& options = {}) {
    return OrThrow(CompareOutputs(FloatModel(float_body),
                                  QuantizedModel(quantized_body), Reader(),
                                  options));
  }
  Module FloatModel(const std::vector<std::string>& body) const {
    return MakeModel({{"fc", Linear(weight_)}}, body);
  }
  Module QuantizedModel(const std::vector<std::string>& body) const {
    return MakeModel({{"fc", QuantizedLinear(weight_, false)}}, body);
  }
  BatchReader Reader() const { return BatchReader::FromBatches(batches_); }

  const at::Tensor weight_ = at::rand({3, 3});
  const std::vector<Batch> batches_ = {{{at::rand({2, 3})}, {}},
                                       {{at::rand({1, 3})}, {}}};
  const std::string quantize_ = "torch.quantize_per_tensor(x, 0.05, 64, 13)";
};

TEST_P(OutputComparerTest, ComparesModulesAndWhatTheModelsReturn) {
  const OutputComparisons ours =
      Compare({"return self.fc.forward(x), x"},
              {"return self.fc.forward(" + quantize_ + "), x * 0.9"});
  EXPECT_THAT(Names(ours), ElementsAre("fc", "output[0]", "output[1]"));
  EXPECT_EQ(ours.outputs[0].float_type, "torch.nn.modules.linear.Linear");
  EXPECT_EQ(ours.outputs[0].quantized_type,
            "torch.nn.quantized.modules.linear.Linear");
  EXPECT_EQ(ours.outputs[0].figures.error.sqnr_db,
            ours.outputs[1].figures.error.sqnr_db);
  EXPECT_NEAR(ours.outputs[2].figures.error.sqnr_db, 20, 1e-4);
  EXPECT_THAT(ours.outputs[2].figures.shape, ElementsAre(2, 3));
  EXPECT_THAT(ours.outputs[2].figures.batch_sqnr_db, SizeIs(2));
  EXPECT_THAT(ours.warnings, IsEmpty());
}

TEST_P(OutputComparerTest, TellsWhatHoldsIntegers) {
  const OutputComparisons ours =
      Compare({"return x, x.argmax(1), x > 0.5"},
              {"return x * 0.9, x.argmin(1), x > 0.4"});
  ASSERT_THAT(Names(ours), ElementsAre("output[0]", "output[1]", "output[2]"));
  EXPECT_FALSE(ours.outputs[0].holds_integers);
  EXPECT_TRUE(ours.outputs[1].holds_integers);
  EXPECT_TRUE(ours.outputs[2].holds_integers);
}

TEST_P(OutputComparerTest, WarnsOfTensorsThatOneModelAloneReturns) {
  const OutputComparisons ours =
      Compare({"return self.fc.forward(x), x"},
              {"return self.fc.forward(" + quantize_ + "), x, x"});
  EXPECT_THAT(Names(ours), ElementsAre("fc", "output[0]", "output[1]"));
  EXPECT_THAT(ours.warnings,
              ElementsAre("output[2]: only the quantized model returns it; not "
                          "compared"));
}

// What the float model does to its inputs must not reach the other one.
TEST_P(OutputComparerTest, ModelsThatWriteIntoInputsHaveThemForThemselves) {
  const std::vector<std::string> body = {"x.mul_(3)", "return x"};
  const OutputComparisons ours = Compare(body, body);
  EXPECT_THAT(Names(ours), ElementsAre("output"));
  EXPECT_EQ(ours.outputs[0].figures.error.max_abs_error, 0);
}

TEST_P(OutputComparerTest, ModuleInLoopHasFiguresOfTrips) {
  const OutputComparisons ours =
      Compare({"for i in range(3):", "    x = self.fc.forward(x)", "return x"},
              {"q = " + quantize_,
               "for i in range(3):", "    q = self.fc.forward(q)", "return q"});
  ASSERT_THAT(Names(ours), ElementsAre("fc", "output"));
  EXPECT_THAT(ours.outputs[0].figures.trip_sqnr_db, SizeIs(3));
  EXPECT_THAT(ours.outputs[1].figures.trip_sqnr_db, IsEmpty());
}

TEST_P(OutputComparerTest, AllowListSaysWhichModules) {
  OutputComparerOptions options;
  options.allow_list = {{"Conv2d"}};
  const auto none = CompareOutputs(
      FloatModel({"return self.fc.forward(x)"}),
      QuantizedModel({"return self.fc.forward(" + quantize_ + ")"}), Reader(),
      options);
  EXPECT_THAT(MessageOf(none),
              HasSubstr("the allow list (Conv2d) names no module of either "
                        "model"));
  options.allow_list = {{"Conv2d", "Linear"}};
  EXPECT_THAT(
      Names(Compare({"return self.fc.forward(x)"},
                    {"return self.fc.forward(" + quantize_ + ")"}, options)),
      ElementsAre("fc", "output"));
}

TEST_P(OutputComparerTest, ReportsProgressAndInputsThatAreNotFinite) {
  const std::vector<Batch> batches = {{{at::full({1, 3}, NAN)}, {}},
                                      {{at::rand({1, 3})}, {}}};
  std::vector<int64_t> done;
  OutputComparerOptions options;
  options.progress = [&](int64_t batch, int64_t total) {
    done.push_back(batch);
    EXPECT_EQ(total, 2);
  };
  const OutputComparisons ours = OrThrow(
      CompareOutputs(FloatModel({"return x"}), QuantizedModel({"return x"}),
                     BatchReader::FromBatches(batches), options));
  EXPECT_THAT(done, ElementsAre(1, 2));
  EXPECT_THAT(ours.warnings, ElementsAre(HasSubstr("inputs hold NaN")));
}

TEST_P(OutputComparerTest, FailuresNameBatchAndModel) {
  EXPECT_THAT(MessageOf(CompareOutputs(
                  FloatModel({"return x"}),
                  QuantizedModel({"return torch.mm(x, torch.ones([7, 7]))"}),
                  Reader())),
              HasSubstr("batch 0: the quantized model"));
  const auto numbers = CompareOutputs(FloatModel({"return 2.5"}),
                                      QuantizedModel({"return 2.5"}), Reader());
  EXPECT_TRUE(absl::IsNotFound(numbers.status()));
  EXPECT_THAT(MessageOf(numbers),
              HasSubstr("return no tensor at the same place"));
}

NS_INSTANTIATE_ON_ENGINES(OutputComparerTest);

}  // namespace
}  // namespace ns
