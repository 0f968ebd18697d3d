#include "ns/training/training_checkpoint.h"

#include <ATen/ATen.h>
#include <sys/resource.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/optim/adam.h>

#include <csignal>
#include <filesystem>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/quantization/observe/observer_object.h"
#include "passes/quantization/qconfig/default_observers.h"
#include "passes/runtime/observers/fake_quantize.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"
#include "tests/testing/temporary_file.h"

namespace ns {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::torch::jit::Module;

constexpr char kRun[] = "--lr=1";

// A module with a parameter, a switch, a child, and a fake quantization that
// has seen `seen`.
Module Model(float weight, bool frozen, float seen, int64_t size = 3) {
  Module child = MakeModule("Child",
                            "def forward(self, x: Tensor) -> Tensor:\n"
                            "  return x\n");
  child.register_buffer("mean", at::full({2}, weight));
  const c10::IValue fake = OrThrow(MakeObserverObject(DefaultFakeQuant()));
  fake.toCustomClass<FakeQuantize>()->Forward(at::tensor({0.0F, seen}));
  Module model = MakeModule("Model",
                            "def forward(self, x: Tensor) -> Tensor:\n"
                            "  return x\n",
                            {{"freeze_bn", frozen},
                             {"steps", static_cast<int64_t>(weight)},
                             {"fake", fake}},
                            {{"child", child}});
  model.register_parameter(
      "weight", at::full({size}, weight).requires_grad_(true), false);
  return model;
}

torch::optim::Adam OptimizerOf(const Module& model) {
  return torch::optim::Adam(
      std::vector<at::Tensor>{model.attr("weight").toTensor()});
}

class TrainingCheckpointTest : public ::testing::Test {
 protected:
  TrainingCheckpointTest() { std::filesystem::remove(path_); }

  void Save(const Module& model) const {
    torch::optim::Adam optimizer = OptimizerOf(model);
    TrainingPosition position;
    position.epoch = 1;
    position.batch = 5;
    position.so_far = {5, 1.25, 10, 7};
    position.epochs = {{0, {8, 4.5, 16, 9}, {2, 0.5, 4, 3}}};
    NS_EXPECT_OK(SaveCheckpoint(path_, kRun, model, optimizer, position));
  }

  std::string RefusalOf(const Module& model, const std::string& run = kRun) {
    torch::optim::Adam optimizer = OptimizerOf(model);
    return MessageOf(RestoreCheckpoint(path_, run, model, optimizer));
  }

  const std::string path_ = TemporaryPath("checkpoint.pt");
};

TEST_F(TrainingCheckpointTest, GivesBackAllThatTrainingChanges) {
  Save(Model(2, true, 8));
  const Module model = Model(1, false, 4);
  torch::optim::Adam optimizer = OptimizerOf(model);
  const std::optional<TrainingPosition> position =
      OrThrow(RestoreCheckpoint(path_, kRun, model, optimizer));
  ASSERT_TRUE(position.has_value());
  EXPECT_EQ(position->epoch, 1);
  EXPECT_EQ(position->batch, 5);
  EXPECT_EQ(position->so_far.loss_sum, 1.25);
  EXPECT_EQ(position->so_far.correct, 7);
  ASSERT_EQ(position->epochs.size(), 1);
  EXPECT_EQ(position->epochs[0].trained.samples, 16);
  EXPECT_EQ(position->epochs[0].held_out.batches, 2);
  EXPECT_TRUE(model.attr("weight").toTensor().equal(at::full({3}, 2.0F)));
  EXPECT_TRUE(model.attr("freeze_bn").toBool());
  EXPECT_EQ(model.attr("steps").toInt(), 2);
  EXPECT_TRUE(model.attr("child").toModule().attr("mean").toTensor().equal(
      at::full({2}, 2.0F)));
  const auto expected = Model(0, false, 8).attr("fake");
  EXPECT_TRUE(model.attr("fake").toCustomClass<FakeQuantize>()->scale().equal(
      expected.toCustomClass<FakeQuantize>()->scale()));
}

// What no file can outgrow stands for a disk that is full.
TEST_F(TrainingCheckpointTest, AFullDiskIsAnErrorAndLeavesNothing) {
  const Module model = Model(1, true, 2);
  torch::optim::Adam optimizer = OptimizerOf(model);
  rlimit limit = {};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &limit), 0);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small = {1000, limit.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const absl::Status status =
      SaveCheckpoint(path_, kRun, model, optimizer, TrainingPosition());
  setrlimit(RLIMIT_FSIZE, &limit);
  std::signal(SIGXFSZ, old_handler);
  EXPECT_THAT(std::string(status.message()), HasSubstr("cannot write"));
  EXPECT_FALSE(std::filesystem::exists(path_));
  for (const auto& entry :
       std::filesystem::directory_iterator(testing::TempDir())) {
    EXPECT_THAT(entry.path().filename().string(),
                Not(HasSubstr("AFullDiskIsAnErrorAndLeavesNothing")));
  }
}

TEST_F(TrainingCheckpointTest, WithoutAFileThereIsNothing) {
  const Module model = Model(1, false, 4);
  torch::optim::Adam optimizer = OptimizerOf(model);
  EXPECT_FALSE(OrThrow(RestoreCheckpoint(path_, kRun, model, optimizer)));
}

// Its name is too long: root, who may run this, can read all folders.
TEST_F(TrainingCheckpointTest, APathThatCannotBeReadIsNotAMissingFile) {
  const Module model = Model(1, false, 4);
  torch::optim::Adam optimizer = OptimizerOf(model);
  EXPECT_THAT(MessageOf(RestoreCheckpoint(TemporaryPath(std::string(300, 'x')),
                                          kRun, model, optimizer)),
              HasSubstr("cannot look for a checkpoint: File name too long; "));
}

TEST_F(TrainingCheckpointTest, RefusesAnotherModelAndChangesNothing) {
  Save(Model(2, true, 8));
  const Module larger = Model(1, false, 4, /*size=*/5);
  EXPECT_THAT(RefusalOf(larger), HasSubstr("whose 'weight' has another shape"));
  EXPECT_TRUE(larger.attr("weight").toTensor().equal(at::ones({5})));
  Module more = Model(1, false, 4);
  more.register_buffer("added", at::ones({1}));
  EXPECT_THAT(RefusalOf(more),
              HasSubstr("another model, which has no 'added'"));
}

TEST_F(TrainingCheckpointTest, RefusesOtherFiles) {
  Model(1, false, 4).save(path_);
  EXPECT_THAT(RefusalOf(Model(1, false, 4)),
              HasSubstr("is no checkpoint of a training; remove it"));
  WriteFile(path_, "no archive");
  EXPECT_THAT(RefusalOf(Model(1, false, 4)), HasSubstr("checkpoint.pt"));
}

}  // namespace
}  // namespace ns
