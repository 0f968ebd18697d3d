#include "ns/accuracy/task_scores.h"

#include <ATen/ATen.h>

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"
#include "tests/testing/temporary_file.h"

namespace ns {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Labels = std::optional<std::vector<c10::IValue>>;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// A score that adds up the outputs, each times its label.
std::string Sum(const std::string& name) {
  const std::string path = TemporaryPath(name);
  MakeModule("Sum",
             "def update(self, outputs: Tensor, labels: Tensor) -> None:\n"
             "  self.total = self.total + (outputs * labels).sum()\n"
             "def compute(self) -> Tensor:\n"
             "  return self.total\n",
             {{"total", at::zeros({})}})
      .save(path);
  return path;
}

TEST(TaskScoresTest, ScoresBothModelsOverAllBatches) {
  TaskScores scores =
      OrThrow(TaskScores::Load({{"sum", Sum("a.pt")}, {"other", Sum("b.pt")}},
                               Labels({at::ones({2}), at::full({2}, 10.0)})));
  NS_ASSERT_OK(scores.Add(0, at::ones({2}), at::zeros({2})));
  NS_ASSERT_OK(scores.Add(1, at::ones({2}), at::ones({2})));
  const std::vector<TaskScore> results = OrThrow(scores.Result());
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(results[0].name, "sum");
  EXPECT_EQ(results[1].name, "other");
  for (const TaskScore& result : results) {
    EXPECT_EQ(result.of_float, 22);
    EXPECT_EQ(result.of_quantized, 20);
    EXPECT_EQ(result.difference, -2);
  }
}

TEST(TaskScoresTest, NamesScoreAndModel) {
  EXPECT_THAT(MessageOf(TaskScores::Load({{"sum", Sum("a.pt")}}, Labels())),
              AllOf(HasSubstr("score 'sum': "), HasSubstr("a.pt: "),
                    HasSubstr("--labels=PATH")));
  TaskScores scores = OrThrow(
      TaskScores::Load({{"sum", Sum("a.pt")}}, Labels({at::ones({3})})));
  EXPECT_THAT(
      std::string(scores.Add(0, at::ones({3}), at::ones({2})).message()),
      AllOf(HasSubstr("score 'sum' of the quantized model: "),
            HasSubstr("a.pt: update fails")));
}

TEST(TaskScoresTest, WarnsOfNan) {
  EXPECT_THAT(NanScoreWarnings({{"a", 1, 2, 1}}), IsEmpty());
  EXPECT_THAT(NanScoreWarnings({{"a", kNan, 2, kNan},
                                {"b", 1, kNan, kNan},
                                {"c", kNan, kNan, kNan}}),
              ElementsAre("score 'a' is nan for the float model",
                          "score 'b' is nan for the quantized model",
                          "score 'c' is nan for both models"));
}

}  // namespace
}  // namespace ns
