#include "passes/instrument/candidates/candidate_activations.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/graph/verifier.h"
#include "passes/instrument/variants/rounding.h"
#include "passes/quantization/qconfig/qconfig.h"
#include "passes/runtime/observers/activation_quantizer.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::torch::jit::Node;
using ::torch::jit::Value;

ObserverConfig ActivationOf(const QConfig& qconfig) {
  return qconfig.activation.config;
}

// The one subgraph of a model, and its rounded input and output in front of the
// end of the graph.
class CandidateActivationsTest : public ::testing::Test {
 protected:
  explicit CandidateActivationsTest(
      const std::string& line = "return self.fc.forward(x)")
      : model_(OrThrow(ModelGraph::FromModule(
            MakeModel({{"fc", Linear(at::randn({6, 5}))}}, {line})))),
        subgraphs_(FindFloatSubgraphs(model_.graph())),
        activations_(model_, subgraphs_.at(0), next_quantizer_) {}

  Value* input() { return subgraphs_[0].subgraph.start->input(0); }
  Value* output() { return subgraphs_[0].output; }
  Node* end() { return model_.graph().return_node(); }

  Value* RoundInput(const QConfig& qconfig, size_t index = 0) {
    return Insert(activations_.OfInput(ActivationOf(qconfig), index, input()),
                  input());
  }
  Value* RoundOutput(const QConfig& qconfig) {
    return Insert(activations_.OfOutput(ActivationOf(qconfig), output()),
                  output());
  }

  Value* Insert(const absl::StatusOr<Rounding>& rounding, Value* value) {
    return OrThrow(InsertRounding(model_, OrThrow(rounding), value, end()));
  }

  // How many values each quantizer has observed.
  std::vector<int64_t> Seen() const {
    std::vector<int64_t> seen;
    for (const ActivationQuantizerPtr& quantizer :
         AttachedQuantizers(model_.module())) {
      seen.push_back(quantizer->values_seen());
    }
    return seen;
  }

  ModelGraph model_;
  const std::vector<FloatSubgraph> subgraphs_;
  int next_quantizer_ = 0;
  CandidateActivations activations_;
};

// The name of the attribute whose method made `value`.
std::string QuantizerOf(const Value* value) {
  return value->node()->input(0)->node()->s(c10::attr::name);
}

TEST_F(CandidateActivationsTest, WeightOnlyCandidatesRoundNoActivation) {
  const QConfig qconfig = Int4WeightsQConfig();
  ASSERT_EQ(ModeOf(qconfig.activation), QuantizationMode::kFloat);
  EXPECT_EQ(RoundInput(qconfig), input());
  EXPECT_EQ(RoundOutput(qconfig), output());
  EXPECT_THAT(Seen(), IsEmpty());
}

TEST_F(CandidateActivationsTest, DynamicCandidatesRoundTheirInputAlone) {
  EXPECT_NE(RoundInput(DynamicQConfig()), input());
  EXPECT_EQ(RoundOutput(DynamicQConfig()), output());
  EXPECT_EQ(next_quantizer_, 1);
  OrThrow(model_.Run({at::randn({3, 5})}));
  EXPECT_THAT(Seen(), ElementsAre(0));
}

TEST_F(CandidateActivationsTest, StaticCandidatesObserveTheFloatSubgraph) {
  const Value* rounded_input = RoundInput(Int8PerTensorQConfig());
  const Value* rounded_output = RoundOutput(Int8PerTensorQConfig());
  NS_ASSERT_OK(VerifyGraph(model_.graph()));
  EXPECT_NE(QuantizerOf(rounded_input), QuantizerOf(rounded_output));
  OrThrow(model_.Run({at::randn({3, 5})}));
  EXPECT_THAT(Seen(), ElementsAre(15, 18));
}

TEST_F(CandidateActivationsTest, LikeCandidatesShareTheQuantizerOfAnInput) {
  const Value* first = RoundInput(Int8PerTensorQConfig());
  const Value* again = RoundInput(Int8PerChannelQConfig());
  EXPECT_NE(first, again);
  EXPECT_EQ(QuantizerOf(first), QuantizerOf(again));
  EXPECT_NE(QuantizerOf(first), QuantizerOf(RoundInput(Fp16QConfig())));
  EXPECT_NE(QuantizerOf(first),
            QuantizerOf(RoundInput(Int8PerTensorQConfig(), 1)));
  OrThrow(model_.Run({at::randn({3, 5})}));
  // Half precision needs no range.
  EXPECT_THAT(Seen(), ElementsAre(15, 0, 15));
}

class CandidateOfAPoolTest : public CandidateActivationsTest {
 protected:
  CandidateOfAPoolTest()
      : CandidateActivationsTest("return torch.max_pool1d(x, 2)") {}
};

TEST_F(CandidateOfAPoolTest, APoolKeepsTheQuantizerOfItsInput) {
  const Value* half = RoundInput(Fp16QConfig());
  const Value* rounded_input = RoundInput(Int8PerTensorQConfig());
  EXPECT_EQ(QuantizerOf(RoundOutput(Int8PerTensorQConfig())),
            QuantizerOf(rounded_input));
  EXPECT_NE(QuantizerOf(half), QuantizerOf(rounded_input));
  EXPECT_THAT(Seen(), SizeIs(2));
}

}  // namespace
}  // namespace ns
