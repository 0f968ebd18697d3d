#include "ns/accuracy/batch_labels.h"

#include <ATen/ATen.h>

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

// A file whose value is `source`, of the TorchScript type `type`.
std::string FileOf(const std::string& type, const std::string& source) {
  const std::string path = TemporaryPath("labels.pt");
  MakeModule("Holder",
             "def forward(self) -> " + type + ":\n  return " + source + "\n")
      .save(path);
  return path;
}

TEST(BatchLabelsTest, LabelsAreOfAnyType) {
  const std::string path =
      FileOf("List[List[str]]", "[['one', 'two'], ['three', 'four']]");
  const std::vector<c10::IValue> labels =
      OrThrow(LoadBatchLabels(path, 2, SurplusLabels::kRefused));
  ASSERT_EQ(labels.size(), 2U);
  EXPECT_EQ(labels[1].toListRef()[0].toStringRef(), "three");
}

TEST(BatchLabelsTest, ATensorBelongsToOneBatch) {
  const std::string path = FileOf("Tensor", "torch.ones([3])");
  EXPECT_EQ(OrThrow(LoadBatchLabels(path, 1))[0].toTensor().numel(), 3);
  EXPECT_THAT(MessageOf(LoadBatchLabels(path, 2)),
              HasSubstr("labels.pt: has labels of 1 batches, and there are 2"));
}

TEST(BatchLabelsTest, ThereAreAsManyAsBatches) {
  const std::string path = FileOf("List[int]", "[1, 2, 3]");
  EXPECT_EQ(OrThrow(LoadBatchLabels(path, 2)).size(), 2U);
  EXPECT_THAT(MessageOf(LoadBatchLabels(path, 2, SurplusLabels::kRefused)),
              HasSubstr("has labels of 3 batches, and there are 2"));
  EXPECT_THAT(MessageOf(LoadBatchLabels(path, 4)),
              HasSubstr("has labels of 3 batches, and there are 4"));
}

TEST(BatchLabelsTest, RefusesWhatHasNoBatches) {
  EXPECT_THAT(MessageOf(LoadBatchLabels(FileOf("str", "'cat'"), 1)),
              HasSubstr("labels.pt: holds a str; save a list"));
  EXPECT_THAT(MessageOf(LoadBatchLabels("/nowhere/labels.pt", 1)),
              HasSubstr("/nowhere/labels.pt"));
}

}  // namespace
}  // namespace ns
