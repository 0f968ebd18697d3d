#include "ns/suite/repeatability.h"

#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/graph/module_path.h"
#include "ir/model/model_graph.h"
#include "tests/testing/ir.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

// A model that computes %y of %x in `body`.
ModelGraph ModelWith(absl::string_view body) {
  return ModelOf(absl::StrCat(R"IR(
graph(%x : Tensor, %w : Tensor, %e : float):
  %none : NoneType = prim::Constant()
  %no : bool = prim::Constant[value=0]()
  %yes : bool = prim::Constant[value=1]()
  %half : float = prim::Constant[value=0.5]())IR",
                              body, "\n  return (%y)"));
}

ModelGraph Quiet() { return ModelWith("\n  %y : Tensor = aten::relu(%x)"); }

constexpr char kNoise[] = R"IR(
  %y : Tensor = aten::randn_like(%x, %none, %none, %none, %none, %none))IR";
constexpr char kTrainingDropout[] = R"IR(
  %y : Tensor = aten::dropout(%x, %half, %yes))IR";

TEST(RepeatabilityTest, WarnsOfRandomNumbers) {
  EXPECT_THAT(
      RepeatabilityWarnings(ModelWith(kNoise), Quiet()),
      ElementsAre("the float model draws random numbers (aten::randn_like); "
                  "both models draw their own, so that what is computed from "
                  "them differs by chance; make the random numbers an input"));
}

TEST(RepeatabilityTest, WarnsOfOpsThatComputeAsInTraining) {
  EXPECT_THAT(
      RepeatabilityWarnings(ModelWith(kTrainingDropout), Quiet()),
      ElementsAre("the float model has ops that compute as in training "
                  "(aten::dropout); call eval() before torch.jit.trace, and "
                  "pass training=self.training to functions"));
}

TEST(RepeatabilityTest, WarnsOfABatchNormInTraining) {
  EXPECT_THAT(RepeatabilityWarnings(ModelWith(R"IR(
  %y : Tensor = aten::batch_norm(%x, %w, %w, %w, %w, %yes, %e, %e, %no))IR"),
                                    Quiet()),
              ElementsAre(HasSubstr("(aten::batch_norm)")));
}

TEST(RepeatabilityTest, DropoutInEvaluationGivesNoWarning) {
  EXPECT_THAT(RepeatabilityWarnings(ModelWith(R"IR(
  %y : Tensor = aten::dropout(%x, %half, %no))IR"),
                                    Quiet()),
              IsEmpty());
}

TEST(RepeatabilityTest, ModelsThatRepeatGiveNoWarning) {
  EXPECT_THAT(RepeatabilityWarnings(Quiet(), Quiet()), IsEmpty());
}

TEST(RepeatabilityTest, TheFloatModelComesFirst) {
  EXPECT_THAT(
      RepeatabilityWarnings(ModelWith(kNoise), ModelWith(kTrainingDropout)),
      ElementsAre(StartsWith("the float model draws random numbers"),
                  StartsWith("the quantized model has ops that compute as in "
                             "training")));
}

TEST(RepeatabilityTest, AModelCanHaveBothWarnings) {
  EXPECT_THAT(
      RepeatabilityWarnings(Quiet(), ModelWith(R"IR(
  %d : Tensor = aten::dropout(%x, %half, %yes)
  %y : Tensor = aten::bernoulli(%d, %none))IR")),
      ElementsAre(StartsWith("the quantized model draws random numbers "
                             "(aten::bernoulli);"),
                  StartsWith("the quantized model has ops that compute as in "
                             "training (aten::dropout);")));
}

TEST(RepeatabilityTest, NamesTheCallOfAModule) {
  ModelGraph model = ModelWith(kTrainingDropout);
  torch::jit::Node* dropout = NodeOf(model.graph(), "aten::dropout");
  dropout->setScope(
      ScopeFor({"drop", 0, "Dropout"}, model.graph().current_scope()));
  EXPECT_THAT(RepeatabilityWarnings(model, Quiet()),
              ElementsAre(HasSubstr("('drop' (aten::dropout))")));
  dropout->setScope(
      ScopeFor({"drop", 1, "Dropout"}, model.graph().current_scope()));
  EXPECT_THAT(RepeatabilityWarnings(model, Quiet()),
              ElementsAre(HasSubstr("('drop@1' (aten::dropout))")));
}

TEST(RepeatabilityTest, NamesThreeOpsAndCountsTheRest) {
  std::string body = "\n  %v0 : Tensor = aten::relu(%x)";
  for (int i = 0; i < 5; ++i) {
    absl::StrAppend(&body, "\n  %v", i + 1, " : Tensor = ",
                    i == 1 ? "aten::rand_like" : "aten::randn_like", "(%v", i,
                    ", %none, %none, %none, %none, %none)");
    const std::string last =
        absl::StrCat("\n  %y : Tensor = aten::relu(%v", i + 1, ")");
    const std::vector<std::string> warnings =
        RepeatabilityWarnings(ModelWith(body + last), Quiet());
    ASSERT_THAT(warnings, SizeIs(1));
    if (i == 2) {
      EXPECT_THAT(warnings[0], HasSubstr("(aten::randn_like, aten::rand_like, "
                                         "aten::randn_like);"));
    } else if (i == 4) {
      EXPECT_THAT(warnings[0], HasSubstr("(aten::randn_like, aten::rand_like, "
                                         "aten::randn_like and 2 more);"));
    }
  }
}

TEST(RepeatabilityTest, OpsInControlFlowCount) {
  EXPECT_THAT(RepeatabilityWarnings(ModelWith(R"IR(
  %y : Tensor = prim::If(%yes)
    block0():
      %a : Tensor = aten::randn_like(%x, %none, %none, %none, %none, %none)
      -> (%a)
    block1():
      -> (%x))IR"),
                                    Quiet()),
              SizeIs(1));
}

}  // namespace
}  // namespace ns
