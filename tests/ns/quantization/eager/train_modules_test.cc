#include "ns/quantization/eager/train_modules.h"

#include <ATen/ATen.h>
#include <torch/csrc/jit/api/module.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/model/model_graph.h"
#include "ns/quantization/eager/stubs.h"
#include "ns/training/training_loss.h"
#include "passes/quantization/qconfig/default_qconfigs.h"
#include "tests/ns/quantization/eager/two_linears.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::HasSubstr;
using ::torch::jit::Module;

// A convolution, a batch norm and a ReLU between stubs.
Module ConvNet() {
  return MakeModel({{"quant", QuantStub()},
                    {"conv", Conv2d(at::randn({4, 3, 3, 3}))},
                    {"bn", BatchNorm2d(4)},
                    {"relu", Relu()},
                    {"dequant", DeQuantStub()}},
                   {"y = self.conv.forward(self.quant.forward(x))",
                    "y = self.relu.forward(self.bn.forward(y))",
                    "return self.dequant.forward(y)"});
}

class TrainModulesTest : public ::testing::Test {
 protected:
  TrainModulesTest() : batches_(BatchReader::FromBatches({})) {
    at::manual_seed(1);
    model_ = ConvNet();
    std::vector<Batch> batches;
    batches.reserve(12);
    for (int i = 0; i < 12; ++i) {
      batches.push_back({{at::randn({4, 3, 8, 8})}, {}, ""});
    }
    batches_ = BatchReader::FromBatches(std::move(batches));
    loss_ = MakeTeacherLoss(OrThrow(ModelGraph::FromModule(model_)));
    QConfig training = OrThrow(GetDefaultQatQConfig(Backend::kFbgemm));
    QConfig calibrated = DefaultQConfig();
    for (QConfig* qconfig : {&training, &calibrated}) {
      // Weights of 3 bits lose much.
      qconfig->weight.config.quant_min = -4;
      qconfig->weight.config.quant_max = 3;
    }
    options_.qconfigs[""] = training;
    options_.calibrated_qconfigs[""] = calibrated;
    options_.train.epochs = 3;
    options_.train.learning_rate = 5e-3;
  }

  TrainingData Data() const { return {batches_, 9, *loss_}; }

  Module model_;
  BatchReader batches_;
  std::unique_ptr<TrainingLoss> loss_;
  TrainModulesOptions options_;
};

TEST_F(TrainModulesTest, TrainsFusedModulesAndConvertsThem) {
  const TrainedModules trained =
      OrThrow(TrainModules(model_, Data(), options_));
  EXPECT_EQ(TypeAt(trained.prepared, "conv"),
            "torch.nn.intrinsic.qat.modules.conv_fused.ConvBnReLU2d");
  EXPECT_EQ(TypeAt(trained.quantized, "conv"),
            "torch.nn.intrinsic.quantized.modules.conv_relu.ConvReLU2d");
  EXPECT_EQ(trained.training.epochs.size(), 3);
  EXPECT_EQ(trained.training.calibrated.batches, 3);
  EXPECT_EQ(trained.training.quantized.batches, 3);
}

// Says whether the first of 4 values is positive. One channel of the first
// layer knows it, and has so small a weight beside the others that one scale
// for all leaves nothing of it.
TEST_F(TrainModulesTest, TrainingWinsBackWhatRoundingLost) {
  at::Tensor hidden = at::eye(4);
  hidden[0] *= 3e-3;
  at::Tensor scores = at::zeros({2, 4});
  scores[0][0] = -300;
  scores[1][0] = 300;
  const Module model =
      MakeModel({{"quant", QuantStub()},
                 {"a", Linear(hidden)},
                 {"b", Linear(scores)},
                 {"dequant", DeQuantStub()}},
                {"y = self.b.forward(self.a.forward(self.quant.forward(x)))",
                 "return self.dequant.forward(y)"});
  std::vector<Batch> batches;
  std::vector<at::Tensor> labels;
  for (int i = 0; i < 24; ++i) {
    batches.push_back({{at::randn({32, 4})}, {}, ""});
    labels.push_back(
        batches.back().arguments[0].toTensor().select(1, 0).gt(0).to(
            at::kLong));
  }
  batches_ = BatchReader::FromBatches(std::move(batches));
  loss_ = MakeLabelLoss(std::move(labels));
  // One scale for each weight, of the newest step.
  QConfig training = DefaultQatQConfig();
  training.weight.config.averaging_constant = 1;
  options_.qconfigs[""] = training;
  options_.calibrated_qconfigs[""] = DefaultQConfig();
  options_.train.epochs = 6;
  options_.train.learning_rate = 1e-2;
  const TrainingReport report =
      OrThrow(TrainModules(model, {batches_, 20, *loss_}, options_)).training;
  EXPECT_GT(report.float_model.top1(), 0.9);
  EXPECT_LT(report.calibrated.top1(), 0.7);
  EXPECT_GT(report.quantized.top1(), 0.8);
}

TEST_F(TrainModulesTest, NormsKeepTheirStatistics) {
  const TrainedModules trained =
      OrThrow(TrainModules(model_, Data(), options_));
  const Module norm =
      trained.prepared.attr("conv").toModule().attr("bn").toModule();
  EXPECT_TRUE(
      norm.attr("running_mean")
          .toTensor()
          .equal(model_.attr("bn").toModule().attr("running_mean").toTensor()));
}

// Also those that are no part of a module for training.
TEST_F(TrainModulesTest, NormsThatAreNotFusedKeepTheirStatistics) {
  const Module model = MakeModel(
      {{"quant", QuantStub()},
       {"bn", BatchNorm2d(3)},
       {"conv", Conv2d(at::randn({4, 3, 3, 3}))},
       {"dequant", DeQuantStub()}},
      {"y = self.conv.forward(self.bn.forward(self.quant.forward(x)))",
       "return self.dequant.forward(y)"});
  const at::Tensor mean =
      model.attr("bn").toModule().attr("running_mean").toTensor().clone();
  loss_ = MakeTeacherLoss(OrThrow(ModelGraph::FromModule(model)));
  const TrainedModules trained = OrThrow(TrainModules(model, Data(), options_));
  EXPECT_TRUE(trained.prepared.attr("bn")
                  .toModule()
                  .attr("running_mean")
                  .toTensor()
                  .equal(mean));
}

TEST_F(TrainModulesTest, WithoutACalibratedModelThereIsAWarning) {
  std::vector<std::string> warnings;
  options_.warnings = &warnings;
  options_.calibrated_qconfigs["nothing"] = std::nullopt;
  const TrainedModules trained =
      OrThrow(TrainModules(model_, Data(), options_));
  EXPECT_EQ(trained.training.calibrated.batches, 0);
  EXPECT_THAT(
      warnings,
      testing::Contains(HasSubstr("no figures of the model without training")));
}

TEST_F(TrainModulesTest, TheModelStaysAsItIs) {
  const at::Tensor x = at::randn({1, 3, 8, 8});
  const at::Tensor before = OutputOf(model_, x);
  NS_ASSERT_OK(TrainModules(model_, Data(), options_).status());
  EXPECT_TRUE(OutputOf(model_, x).equal(before));
  EXPECT_FALSE(model_.is_training());
}

TEST_F(TrainModulesTest, RefusesAQConfigOfAModuleThatIsNotThere) {
  options_.qconfigs["convolution"] = std::nullopt;
  EXPECT_THAT(MessageOf(TrainModules(model_, Data(), options_)),
              HasSubstr("no module or type of modules 'convolution'"));
}

}  // namespace
}  // namespace ns
