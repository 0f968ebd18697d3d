#include "ns/saved/activation_saver.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <filesystem>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/batches/batches.h"
#include "ns/saved/activation_files.h"
#include "tests/ns/suite/pair_runner_fixture.h"
#include "tests/testing/status.h"
#include "tests/testing/temporary_file.h"

namespace ns {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::SizeIs;
using ::testing::StartsWith;

class ActivationSaverTest : public PairRunnerTest {
 protected:
  ActivationSaverTest()
      : files_(OrThrow(ActivationFiles::Create({directory_}))) {}

  CompareOptions Saving(bool activations, bool shadows) {
    CompareOptions options;
    options.activations = activations;
    options.shadows = shadows;
    options.exact = true;
    options.files = &files_;
    return options;
  }

  std::vector<std::string> Files() const {
    std::set<std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(directory_)) {
      if (entry.is_regular_file() && entry.path().extension() == ".pt") {
        files.insert(fs::relative(entry.path(), directory_).string());
      }
    }
    return {files.begin(), files.end()};
  }

  std::unordered_map<std::string, c10::IValue> Load(
      const std::string& name) const {
    return OrThrow(LoadBatches(absl::StrCat(directory_, "/", name)))
        .at(0)
        .keywords;
  }

  const std::string directory_ = TemporaryPath("activations");
  ActivationFiles files_;
};

TEST_F(ActivationSaverTest, WritesWhatIsCompared) {
  Running models(Float(), Quantized(), Saving(true, true));
  const at::Tensor x = at::randn({2, 3, 8, 8});
  NS_ASSERT_OK(models.runner.Run(BatchOf({x})));
  NS_ASSERT_OK(models.runner.Run(BatchOf({x * 2})));
  const std::vector<std::string> files = Files();
  EXPECT_THAT(files, SizeIs(2 * models.matches.matches.size()));
  EXPECT_THAT(files, IsSupersetOf({"conv/batch_0000.pt", "conv/batch_0001.pt",
                                   "fc/batch_0000.pt", "fc/batch_0001.pt"}));
  for (const int batch : {0, 1}) {
    const auto tensors = Load(absl::StrCat("conv/batch_000", batch, ".pt"));
    EXPECT_THAT(tensors, SizeIs(3));
    const at::Tensor input = x * (batch + 1);
    EXPECT_TRUE(tensors.at("float").toTensor().equal(FloatConv(input)));
    EXPECT_TRUE(tensors.at("quantized").toTensor().equal(QuantizedConv(input)));
    EXPECT_TRUE(tensors.at("shadow").toTensor().equal(
        FloatConv(QuantizedInput(input).dequantize())));
  }
}

TEST_F(ActivationSaverTest, WritesActivationsAlone) {
  Running models(Float(), Quantized(), Saving(true, false));
  NS_ASSERT_OK(models.runner.Run(BatchOf({at::randn({2, 3, 8, 8})})));
  const auto tensors = Load("conv/batch_0000.pt");
  EXPECT_EQ(tensors.count("float") + tensors.count("quantized"), 2);
  EXPECT_THAT(tensors, SizeIs(2));
}

TEST_F(ActivationSaverTest, WritesShadowsAlone) {
  Running models(Float(), Quantized(), Saving(false, true));
  NS_ASSERT_OK(models.runner.Run(BatchOf({at::randn({2, 3, 8, 8})})));
  const auto tensors = Load("conv/batch_0000.pt");
  EXPECT_EQ(tensors.count("shadow") + tensors.count("quantized"), 2);
  EXPECT_THAT(tensors, SizeIs(2));
}

TEST_F(ActivationSaverTest, WritesEveryTripOfALoop) {
  Running models(ModelOfSource(WithScale(kLoop, "1.")),
                 ModelOfSource(WithScale(kLoop, "2.")), Saving(true, true));
  const at::Tensor x = at::randn({2, 4});
  NS_ASSERT_OK(models.runner.Run(BatchOf({x, 2})));
  const auto first = Load("sigmoid/batch_0000.pt");
  const auto second = Load("sigmoid/batch_0000_call_0001.pt");
  EXPECT_TRUE(first.at("float").toTensor().equal(x.sigmoid()));
  EXPECT_TRUE(first.at("quantized").toTensor().equal((x * 2).sigmoid()));
  EXPECT_TRUE(second.at("float").toTensor().equal(x.sigmoid().sigmoid()));
  EXPECT_TRUE(second.at("quantized")
                  .toTensor()
                  .equal(((x * 2).sigmoid() * 2).sigmoid()));
  EXPECT_THAT(first, SizeIs(3));
}

TEST_F(ActivationSaverTest, WritesAllOutputsByTheirNames) {
  const std::string source =
      "def forward(self, x: Tensor):\n"
      "    u, s, v = torch.svd(torch.mul(x, SCALE))\n"
      "    return u, s, v\n";
  for (const bool shadows : {true, false}) {
    Running models(ModelOfSource(WithScale(source, "1.")),
                   ModelOfSource(WithScale(source, "2.")),
                   Saving(true, shadows));
    const at::Tensor x = at::randn({4, 3});
    NS_ASSERT_OK(models.runner.Run(BatchOf({x})));
    const auto tensors = Load("svd/batch_0000.pt");
    EXPECT_THAT(tensors, SizeIs(shadows ? 9 : 6));
    const auto [u, s, v] = at::svd(x);
    EXPECT_TRUE(tensors.at("float").toTensor().equal(u));
    EXPECT_TRUE(tensors.at("float_S").toTensor().equal(s));
    EXPECT_TRUE(tensors.at("float_V").toTensor().equal(v));
    EXPECT_TRUE(tensors.at("quantized_S").toTensor().allclose(s * 2));
    if (shadows) {
      EXPECT_TRUE(tensors.at("shadow_S").toTensor().allclose(s * 2));
    }
    NS_ASSERT_OK(models.runner.Run(BatchOf({x})));
    EXPECT_THAT(Load("svd/batch_0001.pt"), SizeIs(shadows ? 9 : 6));
  }
}

// Indices are not compared, and what is compared is written all the same.
TEST_F(ActivationSaverTest, WritesWhatIsComparedOfSeveralOutputs) {
  const std::string source =
      "def forward(self, x: Tensor):\n"
      "    v, i = torch.max(x, 0, False)\n"
      "    return v, i\n";
  Running models(ModelOfSource(source), ModelOfSource(source),
                 Saving(true, true));
  NS_ASSERT_OK(models.runner.Run(BatchOf({at::randn({4, 3})})));
  EXPECT_THAT(Load("max/batch_0000.pt"), SizeIs(3));
}

TEST_F(ActivationSaverTest, WritesValuesAsTheyWereWhenTheyCameBy) {
  const std::string source =
      "def forward(self, x: Tensor) -> Tensor:\n"
      "    y = torch.sigmoid(x)\n"
      "    y.neg_()\n"
      "    return torch.tanh(y)\n";
  Running models(ModelOfSource(source), ModelOfSource(source),
                 Saving(true, true));
  const at::Tensor x = at::randn({4});
  NS_ASSERT_OK(models.runner.Run(BatchOf({x})));
  for (const auto& [name, tensor] : Load("sigmoid/batch_0000.pt")) {
    EXPECT_TRUE(tensor.toTensor().equal(x.sigmoid())) << name;
  }
}

// In the first trip only the quantized model comes by: its shadow is of that
// trip, and what is compared with the float model is of the second.
TEST_F(ActivationSaverTest, TensorsOfOneFileAreOfOneCall) {
  const std::string source =
      "def forward(self, x: Tensor, n: int) -> Tensor:\n"
      "    y = x\n"
      "    for i in range(n):\n"
      "        x = x + 1\n"
      "        if i > SCALE:\n"
      "            y = torch.sigmoid(x)\n"
      "    return y\n";
  Running models(ModelOfSource(WithScale(source, "0")),
                 ModelOfSource(WithScale(source, "-1")), Saving(true, true));
  const at::Tensor x = at::randn({4});
  NS_ASSERT_OK(models.runner.Run(BatchOf({x, 3})));
  EXPECT_THAT(models.runner.Warnings(), SizeIs(1));
  const std::vector<std::string> files = Files();
  EXPECT_THAT(files, Contains(StartsWith("sigmoid/")));
  for (const std::string& file : files) {
    const auto tensors = Load(file);
    const at::Tensor quantized = tensors.at("quantized").toTensor();
    // Both models compute the same, so all tensors of one call are equal.
    for (const auto& [name, tensor] : tensors) {
      EXPECT_TRUE(tensor.toTensor().equal(quantized)) << file << " " << name;
    }
  }
}

TEST_F(ActivationSaverTest, BatchThatFailsLeavesNothingForTheNext) {
  // The float model fails between what both have: values of the quantized
  // model, which does not, have come by.
  const std::string fails =
      "def forward(self, x: Tensor) -> Tensor:\n"
      "    x = torch.sigmoid(x)\n"
      "    x = torch.tanh(x.reshape([3, 5]))\n"
      "    return x\n";
  Running models(ModelOfSource(fails), ModelOfSource(fails),
                 Saving(true, true));
  const at::Tensor bad = at::randn({4});
  const at::Tensor good = at::randn({15});
  EXPECT_FALSE(models.runner.Run(BatchOf({bad})).ok());
  NS_ASSERT_OK(models.runner.Run(BatchOf({good})));
  const std::vector<std::string> files = Files();
  int of_good = 0;
  for (const std::string& file : files) {
    for (const auto& [name, tensor] : Load(file)) {
      if (tensor.toTensor().numel() == 15) {
        ++of_good;
      }
    }
  }
  EXPECT_EQ(of_good, 6);
}

TEST_F(ActivationSaverTest, TellsWhenAFileCannotBeWritten) {
  Running models(Float(), Quantized(), Saving(true, false));
  fs::remove_all(directory_);
  WriteFile(directory_, "in the way");
  const absl::Status status =
      models.runner.Run(BatchOf({at::randn({2, 3, 8, 8})}));
  EXPECT_THAT(std::string(status.message()), HasSubstr("activations"));
  fs::remove_all(directory_);
}

}  // namespace
}  // namespace ns
