#include "ns/accuracy/score_module.h"

#include <ATen/ATen.h>

#include <cmath>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"
#include "tests/testing/temporary_file.h"

namespace ns {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr char kCompute[] =
    "def compute(self) -> Tensor:\n"
    "  return self.total\n";
constexpr char kUpdate[] =
    "def update(self, outputs: Tensor, labels: Tensor) -> None:\n"
    "  self.total = self.total + (outputs * labels).sum()\n";

std::string FileOf(const std::string& update, const std::string& compute) {
  const std::string path = TemporaryPath("score.pt");
  MakeModule("Score", update + compute, {{"total", at::zeros({})}}).save(path);
  return path;
}

std::string LoadError(const std::string& update, const std::string& compute,
                      bool has_labels = true) {
  return MessageOf(ScoreModule::Load(FileOf(update, compute), has_labels));
}

TEST(ScoreModuleTest, AddsUpBatches) {
  ScoreModule score =
      OrThrow(ScoreModule::Load(FileOf(kUpdate, kCompute), true));
  EXPECT_EQ(OrThrow(score.Compute()), 0);
  NS_ASSERT_OK(score.Update(at::full({2}, 3.0), at::ones({2})));
  NS_ASSERT_OK(score.Update(at::full({2}, 1.0), at::ones({2})));
  EXPECT_EQ(OrThrow(score.Compute()), 8);
}

TEST(ScoreModuleTest, EachLoadHasAStateOfItsOwn) {
  const std::string path = FileOf(kUpdate, kCompute);
  ScoreModule one = OrThrow(ScoreModule::Load(path, true));
  ScoreModule other = OrThrow(ScoreModule::Load(path, true));
  NS_ASSERT_OK(one.Update(at::ones({2}), at::ones({2})));
  EXPECT_EQ(OrThrow(one.Compute()), 2);
  EXPECT_EQ(OrThrow(other.Compute()), 0);
}

TEST(ScoreModuleTest, TakesOutputsAlone) {
  const std::string update =
      "def update(self, outputs: Tensor) -> None:\n"
      "  self.total = self.total + outputs.sum()\n";
  for (const bool has_labels : {false, true}) {
    ScoreModule score =
        OrThrow(ScoreModule::Load(FileOf(update, kCompute), has_labels));
    NS_ASSERT_OK(score.Update(at::ones({2}), at::ones({2})));
    EXPECT_EQ(OrThrow(score.Compute()), 2);
  }
}

TEST(ScoreModuleTest, LabelsMayHaveADefault) {
  const std::string update =
      "def update(self, outputs: Tensor, labels: Optional[Tensor]=None):\n"
      "  if labels is not None:\n"
      "    self.total = self.total + 1\n";
  ScoreModule without =
      OrThrow(ScoreModule::Load(FileOf(update, kCompute), false));
  NS_ASSERT_OK(without.Update(at::ones({2}), c10::IValue()));
  EXPECT_EQ(OrThrow(without.Compute()), 0);
  ScoreModule with = OrThrow(ScoreModule::Load(FileOf(update, kCompute), true));
  NS_ASSERT_OK(with.Update(at::ones({2}), at::ones({2})));
  EXPECT_EQ(OrThrow(with.Compute()), 1);
}

// A file does not say what the elements of a list are.
TEST(ScoreModuleTest, LabelsGetTheDeclaredTypes) {
  const std::string update =
      "def update(self, outputs: Tensor, labels: List[str]) -> None:\n"
      "  self.total = self.total + len(labels)\n";
  ScoreModule score =
      OrThrow(ScoreModule::Load(FileOf(update, kCompute), true));
  c10::impl::GenericList words(c10::AnyType::get());
  words.push_back("one");
  words.push_back("two");
  NS_ASSERT_OK(score.Update(at::ones({2}), words));
  EXPECT_EQ(OrThrow(score.Compute()), 2);
  EXPECT_THAT(
      std::string(score.Update(at::ones({2}), at::ones({2})).message()),
      HasSubstr("update cannot take the labels: labels is a tensor where "
                "List[str] is declared"));
}

TEST(ScoreModuleTest, ValuesOfTheCallerStayAsTheyAre) {
  const std::string update =
      "def update(self, outputs: Tensor, labels: Tensor) -> None:\n"
      "  outputs.zero_()\n"
      "  labels.zero_()\n";
  ScoreModule score =
      OrThrow(ScoreModule::Load(FileOf(update, kCompute), true));
  const at::Tensor outputs = at::ones({2});
  const at::Tensor labels = at::ones({2});
  NS_ASSERT_OK(score.Update(outputs, labels));
  EXPECT_EQ(outputs.sum().item<double>(), 2);
  EXPECT_EQ(labels.sum().item<double>(), 2);
}

TEST(ScoreModuleTest, RefusesWhatIsNoScore) {
  EXPECT_THAT(LoadError("", kCompute),
              AllOf(HasSubstr("score.pt: it has no method 'update'"),
                    HasSubstr("update(outputs, labels) and compute()")));
  EXPECT_THAT(LoadError(kUpdate, ""), HasSubstr("it has no method 'compute'"));
  EXPECT_THAT(LoadError(kUpdate, "def compute(self) -> str:\n  return 'a'\n"),
              HasSubstr("its signature is compute("));
  EXPECT_THAT(
      LoadError(kUpdate, "def compute(self, x: int) -> int:\n  return x\n"),
      HasSubstr("its signature is compute("));
  EXPECT_THAT(LoadError("def update(self) -> None:\n  pass\n", kCompute),
              HasSubstr("its signature is update("));
  EXPECT_THAT(LoadError("def update(self, a: int, b: int, c: int):\n  pass\n",
                        kCompute),
              HasSubstr("its signature is update("));
  EXPECT_THAT(LoadError(kUpdate, kCompute, /*has_labels=*/false),
              HasSubstr("there are no labels; pass --labels=PATH"));
  EXPECT_THAT(MessageOf(ScoreModule::Load("/nowhere/score.pt", true)),
              HasSubstr("/nowhere/score.pt"));
}

TEST(ScoreModuleTest, NamesTheFileOfWhatFails) {
  ScoreModule score = OrThrow(ScoreModule::Load(
      FileOf("def update(self, outputs: Tensor, labels: Tensor) -> None:\n"
             "  assert False, 'no boxes'\n",
             "def compute(self) -> float:\n"
             "  assert False, 'no batches'\n  return 1.0\n"),
      true));
  EXPECT_THAT(
      std::string(score.Update(at::ones({2}), at::ones({2})).message()),
      AllOf(HasSubstr("score.pt: update fails"), HasSubstr("no boxes")));
  EXPECT_THAT(
      MessageOf(score.Compute()),
      AllOf(HasSubstr("score.pt: compute fails"), HasSubstr("no batches")));
  c10::impl::GenericDict dict(c10::StringType::get(), c10::TensorType::get());
  EXPECT_THAT(std::string(score.Update(dict, at::ones({2})).message()),
              HasSubstr("update cannot take what the model returns: outputs is "
                        "a dict of 0 where Tensor is declared"));
}

TEST(ScoreModuleTest, ReturnsOneNumber) {
  const auto computed = [](const std::string& compute) {
    return OrThrow(ScoreModule::Load(FileOf(kUpdate, compute), true)).Compute();
  };
  EXPECT_EQ(OrThrow(computed("def compute(self) -> int:\n  return 7\n")), 7);
  EXPECT_TRUE(std::isnan(OrThrow(
      computed("def compute(self) -> float:\n  return float('nan')\n"))));
  EXPECT_THAT(MessageOf(computed(
                  "def compute(self) -> Tensor:\n  return torch.ones([2])\n")),
              HasSubstr("score.pt: it returned a tensor of 2 elements"));
  EXPECT_THAT(
      MessageOf(computed("def compute(self) -> Any:\n  return 'good'\n")),
      HasSubstr("it returned a value of type str"));
}

}  // namespace
}  // namespace ns
