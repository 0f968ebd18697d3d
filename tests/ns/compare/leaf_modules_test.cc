#include "ns/compare/leaf_modules.h"

#include <ATen/Functions.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/batches/batch.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr char kFloat[] = "torch.nn.modules.rnn.LSTM";
constexpr char kTakenApart[] = "torch.nn.quantizable.modules.rnn.LSTM";

// A model with a module `lstm` of a type, which computes `value` of x.
ModelGraph ModelWith(const std::string& type, const std::string& value) {
  const std::string source =
      "def forward(self, x: Tensor) -> Tensor:\n    return " + value + "\n";
  return OrThrow(ModelGraph::FromModule(
      MakeModel({{"lstm", MakeModule(type, source)}},
                {"return torch.relu(self.lstm.forward(x))"})));
}

std::vector<std::string> LeavesOf(ModelGraph of_float, ModelGraph quantized) {
  Batch batch;
  batch.arguments = {at::randn({4, 3})};
  return FindLeaves({std::move(of_float), std::move(quantized)},
                    BatchReader::FromBatches({batch}), {});
}

TEST(FindLeavesTest, NamesTypesInWhichNothingCanBeCompared) {
  EXPECT_THAT(LeavesOf(ModelWith(kFloat, "torch.sigmoid(x)"),
                       ModelWith(kTakenApart, "torch.sigmoid(torch.t(x))")),
              ElementsAre("LSTM"));
}

TEST(FindLeavesTest, KeepsModulesThatAreComparedInside) {
  EXPECT_THAT(LeavesOf(ModelWith(kFloat, "torch.sigmoid(x)"),
                       ModelWith(kTakenApart, "torch.sigmoid(x)")),
              IsEmpty());
}

TEST(FindLeavesTest, KeepsModulesThatAreOfOneTypeInBothModels) {
  EXPECT_THAT(LeavesOf(ModelWith(kFloat, "torch.sigmoid(x)"),
                       ModelWith(kFloat, "torch.sigmoid(torch.t(x))")),
              IsEmpty());
}

std::optional<CompareNotice> NoticeOf(const std::string& unmatched) {
  ComparisonResult result;
  result.unmatched = {{"quantized", unmatched, "aten::mul", "no partner"}};
  return UnmatchedInModules({ModelWith(kFloat, "torch.sigmoid(x)"),
                             ModelWith(kTakenApart, "torch.sigmoid(x)")},
                            result);
}

TEST(UnmatchedInModulesTest, NamesTheModuleAroundAnOp) {
  for (const char* fqn : {"lstm", "lstm.cell.linear"}) {
    const auto notice = NoticeOf(fqn);
    ASSERT_TRUE(notice.has_value()) << fqn;
    EXPECT_EQ(notice->kind, CompareNotice::Kind::kUnmatchedInModules);
    EXPECT_THAT(notice->types, ElementsAre("LSTM"));
    EXPECT_THAT(notice->modules, ElementsAre("lstm"));
  }
}

TEST(UnmatchedInModulesTest, IsAbsentForOpsElsewhere) {
  for (const char* fqn : {"", "fc", "lstm2.cell"}) {
    EXPECT_FALSE(NoticeOf(fqn).has_value()) << fqn;
  }
}

}  // namespace
}  // namespace ns
