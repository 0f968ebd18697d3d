#include "ns/n_shadows/n_shadows_results.h"

#include <ATen/Functions.h>

#include <sstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/n_shadows/prepare_n_shadows_model.h"
#include "passes/instrument/logger_switches.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

CandidateResult Candidate(int index, const std::string& qconfig, double x2,
                          double e2) {
  CandidateResult candidate;
  candidate.candidate = index;
  candidate.qconfig = qconfig;
  candidate.pooled.count = 1;
  candidate.pooled.sum_x2 = x2;
  candidate.pooled.sum_e2 = e2;
  candidate.call_sqnr_db = {0};
  return candidate;
}

ShadowedSubgraph Subgraph(const std::string& name, const std::string& op) {
  ShadowedSubgraph subgraph;
  subgraph.node_name = name;
  subgraph.op = op;
  subgraph.fqn = name;
  return subgraph;
}

TEST(ComparisonsNShadowsModelTest, HasARowForEachSubgraph) {
  NShadowsResults results;
  results.subgraphs.push_back(Subgraph("conv", "aten::conv2d"));
  results.subgraphs.back().candidates = {
      Candidate(0, "int8 per tensor", 1000, 1),
      Candidate(1, "dynamic", 10000, 1)};
  results.subgraphs.push_back(Subgraph("add", "aten::add"));
  results.subgraphs.back().candidates = {Candidate(1, "fp16", 1, 0)};
  results.subgraphs.push_back(Subgraph("dark", "aten::linear"));
  results.subgraphs.back().candidates = {Candidate(0, "dynamic", 0, 0)};
  results.subgraphs.back().candidates[0].call_sqnr_db.clear();
  std::ostringstream out;
  PrintComparisonsNShadowsModel(results, out);
  EXPECT_EQ(out.str(), ComparisonsNShadowsModel(results));
  EXPECT_EQ(out.str(),
            "\n"
            "node_name  node_type     fqn      0      1\n"
            "──────────────────────────────────────────\n"
            "conv       aten::conv2d  conv  30.0   40.0\n"
            "add        aten::add     add      -  exact\n"
            "dark       aten::linear  dark     -      -\n"
            "0: dynamic, or int8 per tensor\n"
            "1: dynamic, or fp16\n");
}

class ExtractResultsTest : public testing::Test {
 protected:
  NShadowsModel model_ = OrThrow(PrepareNShadowsModel(
      OrThrow(ModelGraph::FromModule(MakeModel(
          {{"a", Linear(at::randn({3, 2}))}, {"b", Linear(at::randn({3, 3}))}},
          {"return self.b.forward(torch.sigmoid(self.a.forward(x)))"}))),
      QConfigMultiMapping()
          .SetGlobal({Int8PerTensorQConfig(), DynamicQConfig()})
          .SetModuleName("b", {DynamicQConfig()})));
  const at::Tensor x_ = at::randn({4, 2});

  torch::jit::Module& Module() { return model_.model.module(); }
  NShadowsResults Results() {
    return OrThrow(ExtractResultsNShadowsModel(Module()));
  }
  void Calibrate() {
    OrThrow(model_.model.Run({x_}));
    NS_EXPECT_OK(ConvertNShadowsModel(Module()));
  }
};

TEST_F(ExtractResultsTest, DescribesSubgraphsAndCandidates) {
  const NShadowsResults results = Results();
  ASSERT_THAT(results.subgraphs, SizeIs(3));
  const ShadowedSubgraph& a = results.subgraphs[0];
  EXPECT_EQ(a.subgraph, "subgraph_0");
  EXPECT_EQ(a.name, "a");
  EXPECT_EQ(a.fqn, "a");
  EXPECT_EQ(a.op, "aten::linear");
  ASSERT_THAT(a.candidates, SizeIs(2));
  EXPECT_EQ(a.candidates[0].candidate, 0);
  EXPECT_EQ(a.candidates[0].qconfig, "int8 per tensor");
  EXPECT_EQ(a.candidates[1].qconfig, "dynamic");
  // A sigmoid has no dynamic form; b has one candidate.
  EXPECT_THAT(results.subgraphs[1].candidates, SizeIs(1));
  ASSERT_THAT(results.subgraphs[2].candidates, SizeIs(1));
  EXPECT_EQ(results.subgraphs[2].subgraph, "subgraph_2");
  EXPECT_EQ(results.subgraphs[2].candidates[0].qconfig, "dynamic");
}

// How many values and comparisons each logger has.
void ExpectCounts(const NShadowsResults& results, size_t values,
                  size_t comparisons) {
  for (const ShadowedSubgraph& subgraph : results.subgraphs) {
    EXPECT_THAT(subgraph.values, SizeIs(values));
    for (const CandidateResult& candidate : subgraph.candidates) {
      EXPECT_THAT(candidate.values, SizeIs(values));
      EXPECT_THAT(candidate.call_sqnr_db, SizeIs(comparisons));
    }
  }
}

TEST_F(ExtractResultsTest, CalibrationLogsNothing) {
  Calibrate();
  ExpectCounts(Results(), 0, 0);
}

TEST_F(ExtractResultsTest, SavesActivationsWhenAsked) {
  Calibrate();
  NS_ASSERT_OK(LoggersSetEnabled(Module(), true));
  NS_ASSERT_OK(LoggersSetSaveActivations(Module(), true));
  OrThrow(model_.model.Run({x_}));
  ExpectCounts(Results(), 1, 1);
  EXPECT_EQ(Results().subgraphs[0].values[0].sizes(),
            Results().subgraphs[0].candidates[0].values[0].sizes());
}

TEST_F(ExtractResultsTest, KeepsComparisonsOnlyOtherwise) {
  Calibrate();
  NS_ASSERT_OK(LoggersSetEnabled(Module(), true));
  OrThrow(model_.model.Run({x_}));
  OrThrow(model_.model.Run({x_}));
  ExpectCounts(Results(), 0, 2);
}

TEST_F(ExtractResultsTest, LayersAreSwitchedOneByOne) {
  Calibrate();
  NS_ASSERT_OK(LoggersSetEnabled(Module(), true, {"b"}));
  OrThrow(model_.model.Run({x_}));
  const NShadowsResults results = Results();
  EXPECT_THAT(results.subgraphs[0].candidates[0].call_sqnr_db, IsEmpty());
  EXPECT_THAT(results.subgraphs[2].candidates[0].call_sqnr_db, SizeIs(1));
}

// A logger of candidates in TorchScript, which keeps mean absolute errors.
torch::jit::Module MeanErrors(const std::string& is_enabled) {
  return MakeModule(
      "MeanErrors",
      "def forward(self, candidate: Tensor, value: Tensor):\n"
      "    if self.enabled:\n"
      "        self.stats.append((candidate - value).abs().mean())\n"
      "    return candidate\n"
      "def set_enabled(self, enabled: bool):\n"
      "    self.enabled = enabled\n"
      "def get_comparisons(self):\n"
      "    return [float(error) for error in self.stats]\n" +
          is_enabled,
      {{"enabled", true}, {"stats", c10::IValue(c10::List<at::Tensor>())}});
}

ModelGraph LinearModel(const at::Tensor& weight) {
  return OrThrow(ModelGraph::FromModule(
      MakeModel({{"a", Linear(weight)}}, {"return self.a.forward(x)"})));
}

QConfigMultiMapping Dynamic() {
  return QConfigMultiMapping().SetGlobal({DynamicQConfig()});
}

TEST(UsersLoggerTest, SeesTheCandidateAndTheFloatValue) {
  NShadowsOptions options;
  options.logger = [](const LoggerInfo&) {
    return absl::StatusOr<c10::IValue>(
        MeanErrors("def is_enabled(self):\n    return self.enabled\n")
            ._ivalue());
  };
  const at::Tensor weight = at::randn({3, 2});
  NShadowsModel shadows =
      OrThrow(PrepareNShadowsModel(LinearModel(weight), Dynamic(), options));
  const at::Tensor x = at::randn({4, 2});
  torch::jit::Module& module = shadows.model.module();
  NS_ASSERT_OK(shadows.model.Run({x}).status());  // disabled
  NS_ASSERT_OK(ConvertNShadowsModel(module));
  NS_ASSERT_OK(LoggersSetEnabled(module, true));
  NS_ASSERT_OK(shadows.model.Run({x}).status());
  const NShadowsResults results = OrThrow(ExtractResultsNShadowsModel(module));
  ASSERT_THAT(results.subgraphs, SizeIs(1));
  const CandidateResult& candidate = results.subgraphs[0].candidates.at(0);
  ASSERT_THAT(candidate.call_sqnr_db, SizeIs(1));
  ASSERT_THAT(candidate.values, SizeIs(1));
  EXPECT_EQ(candidate.call_sqnr_db[0], candidate.values[0].item<double>());
  EXPECT_GT(candidate.call_sqnr_db[0], 0);
  EXPECT_LT(candidate.call_sqnr_db[0], 0.1);
  EXPECT_EQ(candidate.pooled.count, 0);
}

TEST(UsersLoggerTest, MustHaveSwitches) {
  NShadowsOptions options;
  options.logger = [](const LoggerInfo&) {
    return absl::StatusOr<c10::IValue>(MeanErrors("")._ivalue());
  };
  EXPECT_EQ(MessageOf(PrepareNShadowsModel(LinearModel(at::randn({3, 2})),
                                           Dynamic(), options)),
            "logger MeanErrors of a candidate must have methods is_enabled() "
            "-> bool and set_enabled(bool)");
}

}  // namespace
}  // namespace ns
