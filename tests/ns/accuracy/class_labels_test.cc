#include "ns/accuracy/class_labels.h"

#include <ATen/Functions.h>

#include <limits>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"
#include "tests/testing/temporary_file.h"

namespace ns {
namespace {

using ::testing::HasSubstr;

// A file whose batches are `tensors`.
std::string FileOf(const std::vector<at::Tensor>& tensors) {
  const std::string path = TemporaryPath("labels.pt");
  MakeModule("Holder",
             "def forward(self) -> List[Tensor]:\n"
             "  return self.batches\n",
             {{"batches", tensors}})
      .save(path);
  return path;
}

TEST(ClassLabelsTest, ComeFromAFile) {
  const std::string path =
      FileOf({at::tensor({1, 2}, at::kInt), at::tensor({0}, at::kLong)});
  const std::vector<at::Tensor> labels = OrThrow(LoadLabels(path, 2));
  EXPECT_TRUE(labels[0].equal(at::tensor({1, 2}, at::kLong)));
  EXPECT_EQ(OrThrow(LoadLabels(path, 1)).size(), 1);
  EXPECT_THAT(MessageOf(LoadLabels(path, 3)),
              HasSubstr("has labels of 2 batches, and there are 3"));
  EXPECT_THAT(MessageOf(LoadLabels(path, 1, SurplusLabels::kRefused)),
              HasSubstr("has labels of 2 batches, and there are 1"));
  EXPECT_THAT(MessageOf(LoadLabels(FileOf({at::rand({2})}), 1)),
              HasSubstr("batch 0 is no tensor of integers"));
}

TEST(ClassLabelsTest, ClassesHaveTheGreatestScore) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const at::Tensor scores =
      at::tensor({1.0F, 3.0F, 2.0F, 2.0F, nan, 9.0F}).reshape({3, 2});
  EXPECT_TRUE(ClassesOf(scores).equal(at::tensor({1, 0, -1}, at::kLong)));
}

TEST(ClassLabelsTest, SayWhatDoesNotFit) {
  const auto message = [](const at::Tensor& scores, const at::Tensor& labels) {
    return std::string(CheckLabels(scores, labels, "guess").message());
  };
  const at::Tensor two = at::tensor({0, 3}, at::kLong);
  NS_EXPECT_OK(CheckLabels(at::zeros({2, 4}), two, "guess"));
  NS_EXPECT_OK(CheckLabels(at::zeros({2, 256}), two.to(at::kByte), "guess"));
  NS_EXPECT_OK(CheckLabels(at::zeros({2, 1000}), two.to(at::kChar), "guess"));
  NS_EXPECT_OK(CheckLabels(at::zeros({2, 4}), two.unsqueeze(1), "guess"));
  EXPECT_THAT(message(at::zeros({2, 3}), two), HasSubstr("not from 0 to 2"));
  EXPECT_THAT(message(at::zeros({3, 4}), two), HasSubstr("2 labels for 3"));
  EXPECT_THAT(message(at::zeros({0, 4}), two), HasSubstr("no scores for it"));
  EXPECT_THAT(message(at::zeros({2}), two), HasSubstr("returns [2]"));
  EXPECT_THAT(message({}, two), HasSubstr("without labels, guess"));
  EXPECT_THAT(message(at::zeros({2, 4}), at::zeros({2})),
              HasSubstr("no tensor of integers"));
}

}  // namespace
}  // namespace ns
