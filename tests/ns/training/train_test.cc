#include "ns/training/train.h"

#include <ATen/ATen.h>
#include <torch/csrc/jit/api/module.h>

#include <chrono>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/hierarchy/make_module.h"
#include "ir/model/model_graph.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"
#include "tests/testing/temporary_file.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::torch::jit::Module;

constexpr int kBatches = 10;

// A linear layer whose parameters can be trained.
Module Line() {
  Module module = NewModule("Line");
  module.register_parameter("weight", at::zeros({2, 4}).requires_grad_(true),
                            /*is_buffer=*/false);
  NS_EXPECT_OK(DefineMethods(module,
                             "def forward(self, x: Tensor) -> Tensor:\n"
                             "  return torch.linear(x, self.weight)\n"));
  return module;
}

// That layer, to be trained.
TrainedModel LineModel() {
  TrainedModel model;
  model.module = Line();
  model.parameters = TrainableParameters(model.module);
  return model;
}

at::Tensor WeightOf(const Module& module) {
  return module.attr("weight").toTensor().detach().clone();
}

// Points of two classes, apart along the first coordinate.
class TrainTest : public ::testing::Test {
 protected:
  TrainTest() : batches_(BatchReader::FromBatches({})) {
    at::manual_seed(1);
    std::vector<Batch> batches;
    std::vector<at::Tensor> labels;
    for (int i = 0; i < kBatches; ++i) {
      const at::Tensor x = at::randn({8, 4});
      labels.push_back(x.select(1, 0).gt(0).to(at::kLong));
      batches.push_back({{x}, {}, ""});
    }
    batches_ = BatchReader::FromBatches(std::move(batches));
    loss_ = MakeLabelLoss(std::move(labels));
    options_.learning_rate = 0.05;
    options_.epochs = 3;
  }

  TrainingData Data(int64_t trained = 8) const {
    return {batches_, trained, *loss_};
  }

  BatchReader batches_;
  std::unique_ptr<TrainingLoss> loss_;
  TrainOptions options_;
};

// Stops the training, as if the process were killed, after some batches.
class KillingLoss final : public TrainingLoss {
 public:
  KillingLoss(TrainingLoss& loss, int calls) : loss_(loss), calls_(calls) {}

  absl::StatusOr<BatchLoss> Of(const c10::IValue& output, const Batch& batch,
                               int64_t index) override {
    if (calls_-- == 0) {
      return absl::AbortedError("killed");
    }
    return loss_.Of(output, batch, index);
  }

  bool counts_samples() const override { return true; }

 private:
  TrainingLoss& loss_;
  int calls_;
};

TEST_F(TrainTest, LearnsWhatTheLabelsSay) {
  for (const OptimizerKind kind : {OptimizerKind::kAdam, OptimizerKind::kSgd}) {
    options_.optimizer = kind;
    TrainedModel model = LineModel();
    const std::vector<EpochReport> epochs =
        OrThrow(Train(model, Data(), options_));
    ASSERT_EQ(epochs.size(), 3);
    EXPECT_EQ(epochs[0].trained.batches, 8);
    EXPECT_EQ(epochs[0].trained.samples, 64);
    EXPECT_EQ(epochs[0].held_out.batches, 2);
    EXPECT_LT(epochs[2].trained.loss(), 0.8 * epochs[0].trained.loss());
    EXPECT_GT(epochs[2].held_out.top1(), 0.8);
  }
}

TEST_F(TrainTest, OneSeedGivesOneModel) {
  const auto trained = [&](int64_t seed) {
    options_.seed = seed;
    TrainedModel model = LineModel();
    NS_EXPECT_OK(Train(model, Data(), options_).status());
    return WeightOf(model.module);
  };
  EXPECT_TRUE(trained(1).equal(trained(1)));
  EXPECT_FALSE(trained(1).equal(trained(2)));
}

TEST_F(TrainTest, CallsBackAtTheRightTimes) {
  std::vector<std::string> calls;
  TrainedModel model = LineModel();
  model.before_epoch = [&](const EpochStart& start) {
    EXPECT_EQ(start.order.size(), 8);
    calls.push_back((start.begins ? "begin " : "go on ") +
                    std::to_string(start.epoch));
    return absl::OkStatus();
  };
  model.switch_training = [&](bool training) {
    calls.push_back(training ? "train" : "measure");
  };
  options_.epochs = 2;
  int64_t last = 0;
  options_.progress = [&](int64_t done, int64_t total) {
    EXPECT_EQ(done, ++last);
    EXPECT_EQ(total, 16);
  };
  NS_ASSERT_OK(Train(model, Data(), options_).status());
  EXPECT_EQ(last, 16);
  EXPECT_THAT(calls, ElementsAre("begin 0", "measure", "train", "begin 1",
                                 "measure", "train"));
}

// Between batches, and between epochs.
TEST_F(TrainTest, AKilledRunGoesOnAsIfNothingHadHappened) {
  TrainedModel whole = LineModel();
  const std::vector<EpochReport> expected =
      OrThrow(Train(whole, Data(), options_));
  options_.checkpoint_path = TemporaryPath("checkpoint.pt");
  options_.between_checkpoints = std::chrono::milliseconds(0);
  for (const int calls : {3, 10, 13, 20, 29}) {
    std::filesystem::remove(options_.checkpoint_path);
    KillingLoss killing(*loss_, calls);
    TrainedModel killed = LineModel();
    EXPECT_EQ(MessageOf(Train(killed, {batches_, 8, killing}, options_)),
              "killed");
    TrainedModel resumed = LineModel();
    const std::vector<EpochReport> epochs =
        OrThrow(Train(resumed, Data(), options_));
    EXPECT_TRUE(WeightOf(resumed.module).equal(WeightOf(whole.module)));
    ASSERT_EQ(epochs.size(), 3);
    for (size_t i = 0; i < epochs.size(); ++i) {
      EXPECT_EQ(epochs[i].trained.loss_sum, expected[i].trained.loss_sum);
      EXPECT_EQ(epochs[i].held_out.correct, expected[i].held_out.correct);
    }
  }
}

TEST_F(TrainTest, ACheckpointIsOfOneRun) {
  options_.checkpoint_path = TemporaryPath("checkpoint.pt");
  options_.run = "--lr=0.1\n--seed=3";
  TrainedModel model = LineModel();
  NS_ASSERT_OK(Train(model, Data(), options_).status());
  options_.run = "--lr=0.1\n--seed=4";
  EXPECT_THAT(MessageOf(Train(model, Data(), options_)),
              HasSubstr("checkpoint.pt: is a checkpoint of another run: --seed "
                        "was 3 and is 4; remove it, or name another"));
}

TEST_F(TrainTest, SaysWhenItDiverges) {
  options_.learning_rate = std::numeric_limits<double>::max();
  options_.optimizer = OptimizerKind::kSgd;
  TrainedModel model = LineModel();
  EXPECT_THAT(MessageOf(Train(model, Data(), options_)),
              HasSubstr("the loss is not finite any more in epoch 1"));
}

TEST_F(TrainTest, NamesTheBatchThatTheModelDoesNotTake) {
  TrainedModel model;
  model.module = MakeModule("Two",
                            "def forward(self, x: Tensor, y: Tensor):\n"
                            "  return x\n");
  model.parameters = {at::ones({1}).requires_grad_(true)};
  EXPECT_THAT(MessageOf(Train(model, Data(), options_)),
              HasSubstr("method 'forward' takes 2 arguments"));
  EXPECT_THAT(MessageOf(Train(model, Data(0), options_)),
              HasSubstr("one epoch and one batch at least"));
}

TEST_F(TrainTest, RefusesSettingsOutOfRange) {
  for (const double rate : {-1.0, std::numeric_limits<double>::quiet_NaN(),
                            std::numeric_limits<double>::infinity()}) {
    options_.learning_rate = rate;
    EXPECT_THAT(MessageOf(Train(LineModel(), Data(), options_)),
                HasSubstr("use a finite number that is not negative"));
  }
  options_.learning_rate = 0.05;
  EXPECT_EQ(MessageOf(Train(LineModel(), Data(12), options_)),
            "training on 12 of 10 batches is not possible");
  TrainedModel model = LineModel();
  model.method = "nope";
  EXPECT_EQ(MessageOf(Train(model, Data(), options_)),
            "the model has no method 'nope'");
}

TEST_F(TrainTest, MeasuresNoBatchesThatAreNotThere) {
  const ModelGraph model = OrThrow(ModelGraph::FromModule(Line()));
  EXPECT_EQ(OrThrow(MeasureHeldOut("float", model, Data())).batches, 2);
  for (const int64_t trained : {-1, 12}) {
    EXPECT_THAT(MessageOf(MeasureHeldOut("float", model, Data(trained))),
                HasSubstr("of 10 batches is not possible"));
  }
}

TEST_F(TrainTest, SwitchesBackWhenMeasuringFails) {
  std::vector<bool> calls;
  TrainedModel model = LineModel();
  model.switch_training = [&](bool training) { calls.push_back(training); };
  KillingLoss killing(*loss_, 9);
  EXPECT_EQ(MessageOf(Train(model, {batches_, 8, killing}, options_)),
            "killed");
  EXPECT_THAT(calls, ElementsAre(false, true));
}

TEST_F(TrainTest, RefusesParametersThatAreComputed) {
  TrainedModel model = LineModel();
  model.parameters = {model.parameters[0] * 2};
  EXPECT_THAT(MessageOf(Train(model, Data(), options_)),
              HasSubstr("making the optimizer"));
}

TEST_F(TrainTest, RefusesAModelWithoutParameters) {
  TrainedModel model;
  model.module = Relu();
  EXPECT_THAT(MessageOf(Train(model, Data(), options_)),
              HasSubstr("no parameters that could be trained"));
}

TEST_F(TrainTest, SaysWhichBufferGradientsDoNotGoThrough) {
  TrainedModel model = LineModel();
  model.module.register_buffer("last", at::zeros({2}));
  NS_ASSERT_OK(DefineMethods(
      model.module,
      "def remember(self, x: Tensor) -> Tensor:\n"
      "  y = torch.linear(x, self.weight) + torch.sigmoid(self.last)\n"
      "  self.last.copy_(y[0])\n"
      "  return y\n"));
  model.method = "remember";
  EXPECT_THAT(MessageOf(Train(model, Data(), options_)),
              AllOf(HasSubstr("keeps what it computes in 'last'"),
                    HasSubstr("quantize it without training")));
}

// Otherwise a step would change it twice.
TEST_F(TrainTest, AParameterOfTwoModulesIsTrainedOnce) {
  const Module line = Line();
  const Module twins =
      MakeModule("Twins",
                 "def forward(self, x: Tensor) -> Tensor:\n"
                 "  return self.a.forward(x) + self.b.forward(x)\n",
                 {}, {{"a", line}, {"b", line}});
  EXPECT_EQ(TrainableParameters(twins).size(), 1);
}

// Momentum does not move it, as it would not in a run that was resumed.
TEST_F(TrainTest, AParameterThatABatchDoesNotUseStays) {
  Module module = NewModule("Sometimes");
  module.register_parameter("always", at::zeros({2, 4}).requires_grad_(true),
                            false);
  module.register_parameter("first", at::zeros({2}).requires_grad_(true),
                            false);
  module.register_attribute("calls", c10::IntType::get(), 0);
  NS_EXPECT_OK(DefineMethods(module,
                             "def forward(self, x: Tensor) -> Tensor:\n"
                             "  y = torch.linear(x, self.always)\n"
                             "  if self.calls == 0:\n"
                             "    y = y + self.first\n"
                             "  self.calls += 1\n"
                             "  return y\n"));
  TrainedModel model;
  model.module = module;
  model.parameters = TrainableParameters(module);
  at::Tensor after_one;
  options_.epochs = 1;
  options_.progress = [&](int64_t done, int64_t) {
    if (done == 1) {
      after_one = module.attr("first").toTensor().detach().clone();
    }
  };
  NS_ASSERT_OK(Train(model, Data(), options_).status());
  EXPECT_GT(after_one.abs().sum().item<float>(), 0);
  EXPECT_TRUE(module.attr("first").toTensor().equal(after_one));
}

// The loss may run another model on the inputs.
TEST_F(TrainTest, TheLossSeesInputsAsTheyWere) {
  Module module = NewModule("Writes");
  module.register_parameter("weight", at::zeros({2, 4}).requires_grad_(true),
                            false);
  NS_EXPECT_OK(DefineMethods(module,
                             "def forward(self, x: Tensor) -> Tensor:\n"
                             "  x.mul_(0.0)\n"
                             "  return torch.linear(x, self.weight)\n"));
  TrainedModel model;
  model.module = module;
  model.parameters = TrainableParameters(module);
  NS_ASSERT_OK(Train(model, Data(), options_).status());
  for (int64_t i = 0; i < batches_.size(); ++i) {
    EXPECT_GT(OrThrow(batches_.Read(i))
                  .arguments[0]
                  .toTensor()
                  .abs()
                  .sum()
                  .item<float>(),
              0);
  }
}

}  // namespace
}  // namespace ns
