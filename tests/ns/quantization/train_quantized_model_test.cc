#include "ns/quantization/train_quantized_model.h"

#include <ATen/ATen.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/model/model_graph.h"
#include "ns/training/training_loss.h"
#include "passes/quantization/qconfig/default_qconfigs.h"
#include "tests/ns/quantization/quantizing.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Says whether the first of 4 values is positive. One channel of the first
// layer knows it, and has so small a weight beside the others that one scale
// for all leaves nothing of it.
ModelGraph Model() {
  at::Tensor hidden = at::eye(4);
  hidden[0] *= 3e-3;
  at::Tensor scores = at::zeros({2, 4});
  scores[0][0] = -3e2;
  scores[1][0] = 3e2;
  return OrThrow(ModelGraph::FromModule(
      MakeModule("Signs",
                 "def forward(self, x: Tensor) -> Tensor:\n"
                 "  y = torch.linear(x, self.hidden, self.zeros)\n"
                 "  return torch.linear(y, self.scores, self.threshold)\n",
                 {{"hidden", hidden},
                  {"zeros", at::zeros({4})},
                  {"scores", scores},
                  {"threshold", at::zeros({2})}})));
}

class TrainQuantizedModelTest : public ::testing::Test {
 protected:
  TrainQuantizedModelTest() : batches_(BatchReader::FromBatches({})) {
    at::manual_seed(1);
    std::vector<at::Tensor> inputs;
    std::vector<at::Tensor> labels;
    for (int i = 0; i < 24; ++i) {
      inputs.push_back(at::randn({32, 4}));
      labels.push_back(inputs.back().select(1, 0).gt(0).to(at::kLong));
    }
    batches_ = BatchReader::FromBatches(BatchesOf(inputs));
    loss_ = MakeLabelLoss(std::move(labels));
    // One scale for each weight.
    options_.quantize = Everywhere(DefaultQConfig());
    options_.train.epochs = 4;
    options_.train.learning_rate = 1e-2;
  }

  TrainingData Data() const { return {batches_, 20, *loss_}; }

  BatchReader batches_;
  std::unique_ptr<TrainingLoss> loss_;
  TrainQuantizedOptions options_;
};

TEST_F(TrainQuantizedModelTest, TrainingWinsBackWhatRoundingLost) {
  int64_t last = 0;
  options_.train.progress = [&](int64_t done, int64_t total) {
    EXPECT_EQ(done, ++last);
    EXPECT_EQ(total, 20 + 4 * 20 + 3 * 4);
  };
  const TrainedQuantizedModel trained =
      OrThrow(TrainQuantizedModel(Model(), Data(), options_));
  EXPECT_EQ(last, 20 + 4 * 20 + 3 * 4);
  const TrainingReport& report = trained.training;
  EXPECT_EQ(report.goal, "labels");
  EXPECT_EQ(report.held_out_batches, 4);
  EXPECT_GT(report.float_model.top1(), 0.9);
  EXPECT_LT(report.calibrated.top1(), 0.7);
  EXPECT_GT(report.quantized.top1(), 0.9);
  EXPECT_EQ(trained.report.layers.size(), 2);
  EXPECT_THAT(trained.report.stayed_float, IsEmpty());
  ExpectNeedsLibTorchOnly(trained.model);
}

// The last epoch was measured with rounded float values, and the model that
// comes out computes with integers.
TEST_F(TrainQuantizedModelTest, WhatIsTrainedIsWhatComesOut) {
  const TrainingReport report =
      OrThrow(TrainQuantizedModel(Model(), Data(), options_)).training;
  const double measured = report.epochs.back().held_out.loss();
  EXPECT_NEAR(report.quantized.loss(), measured, 0.02 * measured);
}

// So large a step makes noise of the weights.
TEST_F(TrainQuantizedModelTest, TrainingThatDoesHarmIsNotKept) {
  options_.quantize = QuantizeOptions();
  options_.quantize.methods.choose_ranges = true;
  options_.quantize.methods.bias_correction = BiasCorrection::kFast;
  loss_ = MakeTeacherLoss(OrThrow(Model().Clone()));
  options_.train.learning_rate = 1;
  int64_t last = 0;
  options_.train.progress = [&](int64_t done, int64_t total) {
    EXPECT_GT(done, last);
    EXPECT_LE(done, total);
    last = done;
  };
  const TrainedQuantizedModel trained =
      OrThrow(TrainQuantizedModel(Model(), Data(), options_));
  const TrainingReport& report = trained.training;
  EXPECT_TRUE(report.keeps_calibrated);
  EXPECT_GT(report.quantized.loss(), report.calibrated.loss());
  EXPECT_EQ(
      OrThrow(MeasureHeldOut("quantized", trained.model, Data())).loss_sum,
      report.calibrated.loss_sum);
}

// It has the bits that static quantization chooses: 8 for these activations.
TEST_F(TrainQuantizedModelTest, TrainingStartsWithTheChosenRanges) {
  options_.quantize = QuantizeOptions();
  options_.quantize.methods.choose_ranges = true;
  loss_ = MakeTeacherLoss(OrThrow(Model().Clone()));
  options_.train.learning_rate = 0;
  const TrainingReport report =
      OrThrow(TrainQuantizedModel(Model(), Data(), options_)).training;
  EXPECT_EQ(report.quantized.loss_sum, report.calibrated.loss_sum);
}

TEST_F(TrainQuantizedModelTest, TheFloatModelStaysAsItIs) {
  ModelGraph model = Model();
  const at::Tensor x = at::randn({1, 4});
  const at::Tensor before = Output(model, x);
  NS_ASSERT_OK(TrainQuantizedModel(model, Data(), options_).status());
  EXPECT_TRUE(Output(model, x).equal(before));
}

TEST_F(TrainQuantizedModelTest, RefusesSettingsOutOfRange) {
  for (const int64_t trained : {-1, 25}) {
    EXPECT_FALSE(
        TrainQuantizedModel(Model(), {batches_, trained, *loss_}, options_)
            .ok());
  }
  options_.train.learning_rate = -1;
  EXPECT_THAT(MessageOf(TrainQuantizedModel(Model(), Data(), options_)),
              HasSubstr("the learning rate is -1"));
}

TEST_F(TrainQuantizedModelTest, RefusesAModelThatIsQuantized) {
  const TrainedQuantizedModel trained =
      OrThrow(TrainQuantizedModel(Model(), Data(), options_));
  EXPECT_THAT(MessageOf(TrainQuantizedModel(trained.model, Data(), options_)),
              HasSubstr("quantized"));
}

}  // namespace
}  // namespace ns
