#include "passes/instrument/candidates/insert_trial.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/ir/ir.h>

#include <string>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "ir/base/refusal.h"
#include "ir/graph/verifier.h"
#include "tests/testing/ir.h"
#include "tests/testing/modules.h"
#include "tests/testing/paired.h"
#include "tests/testing/short_ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

const GridRounding kCoarse = {{0.5, 8}, 0, 15};

// Inserts trials into a model whose layer 0 is its first op `base`.
class Trials {
 public:
  Trials(ModelGraph model, absl::string_view base)
      : model_(std::move(model)),
        inserter_(model_, {{0, NodeOf(model_.graph(), base)}}) {}

  absl::Status Insert(const LayerTrial& trial) {
    AttachedComparer comparer(PairComparerOptions(), attached_);
    const absl::Status status = inserter_.Insert(trial, comparer);
    NS_EXPECT_OK(VerifyGraph(model_.graph()));
    return status;
  }

  torch::jit::Graph& graph() { return model_.graph(); }

 private:
  ModelGraph model_;
  TrialInserter inserter_;
  int attached_ = 0;
};

Trials LinearAndRelu() {
  return Trials(
      ModelOfModule(MakeModel({{"fc", Linear(at::ones({4, 3}))}},
                              {"return torch.relu(self.fc.forward(x))"})),
      "aten::linear");
}

TEST(InsertTrialTest, TheVariantHasTheReluOfTheLayer) {
  Trials trials = LinearAndRelu();
  LayerTrial trial;
  trial.weight = at::zeros({4, 3});
  NS_EXPECT_OK(trials.Insert(trial));
  ExpectShortIr(trials.graph(), R"IR(
%1 = aten::linear(%0, <Tensor>, None)
%2 = aten::relu(%1)
%3 = aten::linear(%0, <Tensor>, None)
%4 = aten::relu(%3)
self.ns_comparer_0.compare(%2, %4)
return (%2))IR");
}

TEST(InsertTrialTest, TrialsShareValuesThatAreRoundedAlike) {
  Trials trials = LinearAndRelu();
  LayerTrial of_output;
  of_output.input = kCoarse;
  LayerTrial of_input = of_output;
  of_input.of_input = true;
  NS_EXPECT_OK(trials.Insert(of_output));
  NS_EXPECT_OK(trials.Insert(of_input));
  ExpectShortIr(trials.graph(), R"IR(
%1 = aten::mul(%0, 2)
%2 = aten::round_(%1)
%3 = aten::clamp_(%2, -8, 7)
%4 = aten::mul_(%3, 0.5)
%5 = aten::linear(%0, <Tensor>, None)
%6 = aten::relu(%5)
self.ns_comparer_1.compare(%0, %4)
%7 = aten::linear(%4, <Tensor>, None)
%8 = aten::relu(%7)
self.ns_comparer_0.compare(%6, %8)
return (%6))IR");
}

TEST(InsertTrialTest, OtherLayersAndSeveralInputsAreRefused) {
  Trials trials(ModelOf(R"IR(
graph(%x : Tensor, %y : Tensor):
  %one : int = prim::Constant[value=1]()
  %s : Tensor = aten::add(%x, %y, %one)
  return (%s))IR"),
                "aten::add");
  const std::string before = ShortIr(trials.graph());
  EXPECT_TRUE(IsRefusal(trials.Insert({})));
  LayerTrial nowhere;
  nowhere.layer = 1;
  EXPECT_TRUE(IsRefusal(trials.Insert(nowhere)));
  EXPECT_EQ(ShortIr(trials.graph()), before);
}

}  // namespace
}  // namespace ns
