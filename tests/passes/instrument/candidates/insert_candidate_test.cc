#include "passes/instrument/candidates/insert_candidate.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/graph/verifier.h"
#include "passes/instrument/candidates/candidate_activations.h"
#include "passes/instrument/logger_info.h"
#include "passes/instrument/logger_switches.h"
#include "passes/quantization/layers/float_subgraphs.h"
#include "passes/quantization/qconfig/qconfig.h"
#include "passes/runtime/loggers/output_comparison_logger.h"
#include "passes/runtime/loggers/output_logger.h"
#include "passes/runtime/observers/activation_quantizer.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class InsertCandidateTest : public ::testing::Test {
 protected:
  InsertCandidateTest() {
    EXPECT_THAT(subgraphs_, SizeIs(1));
    NS_EXPECT_OK(inserter_.LogFloat(Disabled<OutputLogger>(), InfoOf(0)));
  }

  template <typename Logger>
  static c10::IValue Disabled() {
    auto logger = c10::make_intrusive<Logger>();
    logger->SetEnabled(false);
    return c10::IValue(std::move(logger));
  }

  static LoggerInfo InfoOf(int candidate) {
    LoggerInfo info;
    info.layer = "fc";
    info.type = kNodeOutputResult;
    info.model_name = absl::StrCat("candidate_", candidate);
    return info;
  }

  absl::Status Insert(const QConfig& qconfig, int candidate) {
    return inserter_.Insert(qconfig, Disabled<OutputComparisonLogger>(),
                            InfoOf(candidate));
  }

  int CountCandidates() const {
    int count = 0;
    for (const torch::jit::Node* node : model_.graph().nodes()) {
      count += node->kind() == c10::prim::If ? 1 : 0;
    }
    return count;
  }

  at::Tensor Run() { return OrThrow(model_.Run({x_})).toTensor(); }

  // The observers of the quantizers have seen this many values.
  std::vector<int64_t> Seen() const {
    std::vector<int64_t> seen;
    for (const ActivationQuantizerPtr& quantizer :
         AttachedQuantizers(model_.module())) {
      seen.push_back(quantizer->values_seen());
    }
    return seen;
  }

  const at::Tensor weight_ = at::randn({6, 5});
  const at::Tensor x_ = at::randn({3, 5});
  ModelGraph model_ = OrThrow(ModelGraph::FromModule(
      MakeModel({{"fc", Linear(weight_)}}, {"return self.fc.forward(x)"})));
  const std::vector<FloatSubgraph> subgraphs_ =
      FindFloatSubgraphs(model_.graph());
  int next_quantizer_ = 0;
  CandidateInserter inserter_{model_, subgraphs_[0], next_quantizer_};
};

TEST_F(InsertCandidateTest, CandidatesChangeNoOutput) {
  NS_ASSERT_OK(Insert(Int8PerTensorQConfig(), 1));
  NS_ASSERT_OK(Insert(Fp16QConfig(), 2));
  NS_ASSERT_OK(VerifyGraph(model_.graph()));
  EXPECT_EQ(CountCandidates(), 2);
  EXPECT_THAT(AttachedLoggers(model_.module()), SizeIs(3));
  EXPECT_TRUE(Run().equal(at::linear(x_, weight_)));
}

// Only while its logger is enabled: it is not yet calibrated before.
TEST_F(InsertCandidateTest, ACandidateRunsWhereItsLoggerIsEnabled) {
  NS_ASSERT_OK(Insert(Fp16QConfig(), 1));
  const AttachedLogger logger = AttachedLoggers(model_.module()).at(1);
  EXPECT_EQ(logger.info.model_name, "candidate_1");
  const auto comparisons = [&] {
    return torch::jit::Object(logger.object.toObject())
        .get_method("get_comparisons")({})
        .toDoubleVector();
  };
  Run();
  EXPECT_THAT(comparisons(), IsEmpty());
  NS_ASSERT_OK(LoggersSetEnabled(model_.module(), true));
  EXPECT_TRUE(Run().equal(at::linear(x_, weight_)));
  ASSERT_THAT(comparisons(), SizeIs(1));
  // fp16 has 11 bits.
  EXPECT_GT(comparisons()[0], 50);
  EXPECT_LT(comparisons()[0], 100);
}

// Input and output are quantized alike by both.
TEST_F(InsertCandidateTest, CandidatesShareQuantizersThatAreAlike) {
  NS_ASSERT_OK(Insert(Int8PerTensorQConfig(), 1));
  EXPECT_EQ(next_quantizer_, 2);
  NS_ASSERT_OK(Insert(Int8PerChannelQConfig(), 2));
  EXPECT_EQ(next_quantizer_, 2);
  NS_ASSERT_OK(Insert(DynamicQConfig(), 3));
  EXPECT_GT(next_quantizer_, 2);
  Run();
  const std::vector<int64_t> seen = Seen();
  EXPECT_EQ(seen.size(), static_cast<size_t>(next_quantizer_));
  EXPECT_EQ(seen[0], 15);
  EXPECT_EQ(seen[1], 18);
}

TEST_F(InsertCandidateTest, ACandidateThatFailsLeavesTheGraphAsItWas) {
  QConfig qconfig = Int8PerTensorQConfig();
  qconfig.activation = SpecOf(ObserverKind::kRecording);
  EXPECT_THAT(std::string(Insert(qconfig, 1).message()),
              HasSubstr("activations of fc: observer 'recording'"));
  EXPECT_EQ(CountCandidates(), 0);
  NS_EXPECT_OK(VerifyGraph(model_.graph()));
  EXPECT_TRUE(Run().equal(at::linear(x_, weight_)));
  // And others go on.
  NS_EXPECT_OK(Insert(Int8PerTensorQConfig(), 2));
  EXPECT_EQ(CountCandidates(), 1);
}

}  // namespace
}  // namespace ns
