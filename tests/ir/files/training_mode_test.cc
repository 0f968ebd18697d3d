#include "ir/files/training_mode.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/api/module.h>

#include <cstdint>
#include <optional>
#include <string>

#include "gtest/gtest.h"
#include "tests/testing/modules.h"
#include "tests/testing/temporary_file.h"

namespace ns {
namespace {

using ::torch::jit::Module;

// A module whose code reads its flag.
Module Dropout() {
  return MakeModule("torch.nn.modules.dropout.Dropout",
                    "def forward(self, x: Tensor) -> Tensor:\n"
                    "    return torch.dropout(x, 0.5, self.training)\n");
}

// Saves `module` in training mode, or in evaluation mode, and looks for a
// module in training mode in the file.
std::optional<TrainingModule> Found(Module module, bool is_training = true) {
  module.train(is_training);
  const std::string path = TemporaryPath("model.pt");
  module.save(path);
  return FindTrainingModule(path);
}

TEST(TrainingModeTest, NamesTheModuleAndItsClass) {
  const auto found =
      Found(MakeModel({{"relu", Relu()}, {"drop", Dropout()}},
                      {"return self.drop.forward(self.relu.forward(x))"}));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->path, "drop");
  EXPECT_EQ(found->type, "Dropout");
}

TEST(TrainingModeTest, ThePathStartsAtTheRoot) {
  const Module features =
      MakeModel({{"drop", Dropout()}}, {"return self.drop.forward(x)"});
  const auto found = Found(
      MakeModel({{"features", features}}, {"return self.features.forward(x)"}));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->path, "features.drop");
}

TEST(TrainingModeTest, ThePathOfTheRootIsEmpty) {
  const auto found =
      Found(MakeModule("nets.Net",
                       "def forward(self, x: Tensor) -> Tensor:\n"
                       "    return torch.dropout(x, 0.5, self.training)\n"));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->path, "");
  EXPECT_EQ(found->type, "Net");
}

TEST(TrainingModeTest, TheFirstInTheOrderOfAttributesIsFound) {
  const auto found =
      Found(MakeModel({{"z", Dropout()}, {"a", BatchNorm2d(3)}},
                      {"return self.z.forward(self.a.forward(x))"}));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->path, "z");
}

TEST(TrainingModeTest, AModuleComesBeforeItsChildren) {
  const auto found =
      Found(MakeModule("nets.Block",
                       "def forward(self, x: Tensor) -> Tensor:\n"
                       "    x = self.drop.forward(x)\n"
                       "    return torch.dropout(x, 0.5, self.training)\n",
                       {}, {{"drop", Dropout()}}));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->path, "");
}

TEST(TrainingModeTest, FindsNothingWhenTheModelWasEvaluated) {
  EXPECT_FALSE(
      Found(MakeModel({{"drop", Dropout()}}, {"return self.drop.forward(x)"}),
            /*is_training=*/false)
          .has_value());
}

TEST(TrainingModeTest, FindsWhatAloneIsInTrainingMode) {
  Module model = MakeModel({{"drop", Dropout()}, {"norm", BatchNorm2d(3)}},
                           {"return self.norm.forward(self.drop.forward(x))"});
  model.eval();
  model.attr("norm").toModule().train();
  const std::string path = TemporaryPath("model.pt");
  model.save(path);
  const auto found = FindTrainingModule(path);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->path, "norm");
  EXPECT_EQ(found->type, "BatchNorm2d");
}

TEST(TrainingModeTest, FindsNothingWhenNoCodeAsksForTheMode) {
  EXPECT_FALSE(
      Found(MakeModel({{"relu", Relu()}, {"fc", Linear(at::ones({3, 3}))}},
                      {"return self.fc.forward(self.relu.forward(x))"}))
          .has_value());
}

TEST(TrainingModeTest, FindsNothingWhenOnlyAnotherAttributeStartsLikeTheFlag) {
  EXPECT_FALSE(Found(MakeModule("nets.Net",
                                "def forward(self, x: Tensor) -> Tensor:\n"
                                "    return x * self.training_steps\n",
                                {{"training_steps", int64_t{3}}}))
                   .has_value());
}

// Classes of the same name get a number in the name of their module.
TEST(TrainingModeTest, ClassesOfOneNameAreToldApart) {
  const auto block = [](const std::string& line) {
    return MakeModule("nets.Block",
                      "def forward(self, x: Tensor) -> Tensor:\n"
                      "    return " +
                          line + "\n");
  };
  const auto found =
      Found(MakeModel({{"a", block("x + 1")},
                       {"b", block("torch.dropout(x, 0.5, self.training)")}},
                      {"return self.b.forward(self.a.forward(x))"}));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->path, "b");
  EXPECT_EQ(found->type, "Block");
}

TEST(TrainingModeTest, FindsNothingWhenTheFileCannotBeRead) {
  EXPECT_FALSE(FindTrainingModule(TemporaryPath("none.pt")).has_value());
  const std::string path = TemporaryPath("text.pt");
  WriteFile(path, "not an archive");
  EXPECT_FALSE(FindTrainingModule(path).has_value());
}

TEST(TrainingModeTest, FindsNothingWhenTheFileIsCutOff) {
  const std::string path = TemporaryPath("cut.pt");
  Module module =
      MakeModel({{"drop", Dropout()}}, {"return self.drop.forward(x)"});
  module.save(path);
  const std::string bytes = ReadFile(path);
  WriteFile(path, bytes.substr(0, bytes.size() / 2));
  EXPECT_FALSE(FindTrainingModule(path).has_value());
}

}  // namespace
}  // namespace ns
