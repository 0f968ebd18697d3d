#include "ns/training/training_text.h"

#include <cstdint>
#include <limits>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ns {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TrainingReport Report() {
  TrainingReport report;
  report.goal = "labels";
  report.optimizer = "adam";
  report.learning_rate = 3e-4;
  report.trained_batches = 8;
  report.held_out_batches = 2;
  report.epochs = {{0, {8, 4, 80, 60}, {2, 1, 20, 16}}};
  report.float_model = {2, 0.5, 20, 19};
  report.calibrated = {2, 2, 20, 12};
  report.quantized = {2, 0.6, 20, 18};
  return report;
}

TEST(TrainingTextTest, SaysWhatWasAchieved) {
  EXPECT_EQ(TrainingText(Report()), R"(
trained 1 epoch of 8 batches, 2 held out; goal: labels; adam, learning rate 0.0003
  epoch 1: loss 0.5000, top-1 75.00 %; held out: loss 0.5000, top-1 80.00 %
on what was held out:
  float       loss 0.2500, top-1 95.00 %
  calibrated  loss 1.0000, top-1 60.00 %
  trained     loss 0.3000, top-1 90.00 %
)");
}

TEST(TrainingTextTest, WithoutLabelsTheLossIsAnSqnr) {
  TrainingReport report = Report();
  report.goal = "float model";
  report.held_out_batches = 0;
  report.epochs = {{0, {8, 0.8, 0, 0}, {}}};
  report.float_model = {8, 0, 0, 0};
  report.calibrated = {8, 0.8, 0, 0};
  report.quantized = {8, 0.08, 0, 0};
  const std::string text = TrainingText(report);
  EXPECT_THAT(text, HasSubstr("  epoch 1: SQNR 10.0 dB\n"
                              "on the batches of the training:\n"
                              "  calibrated  SQNR 10.0 dB\n"
                              "  trained     SQNR 20.0 dB\n"));
  EXPECT_THAT(text, Not(HasSubstr("  float ")));
}

TEST(TrainingTextTest, ModelsThatCannotBeCalibratedHaveNoFigures) {
  TrainingReport report = Report();
  report.calibrated = {};
  EXPECT_THAT(TrainingText(report), Not(HasSubstr("calibrated")));
  EXPECT_EQ(TrainingWarning(report), "");
}

TEST(TrainingTextTest, WarnsWhenNothingIsBetter) {
  EXPECT_EQ(TrainingWarning(Report()), "");
  TrainingReport report = Report();
  report.quantized = report.calibrated;
  EXPECT_THAT(
      TrainingWarning(report),
      HasSubstr("training has not improved the model: loss 1.0000, top-1 "
                "60.00 % before and loss 1.0000, top-1 60.00 % after; "
                "--mode=static is enough, or train with another --lr"));
  EXPECT_THAT(TrainingText(report), Not(HasSubstr("was written")));
  report.keeps_calibrated = true;
  EXPECT_THAT(TrainingWarning(report),
              HasSubstr("after; the model was written as it was before "
                        "training; train with another --lr"));
  EXPECT_THAT(TrainingText(report),
              HasSubstr("  the calibrated model was written\n"));
}

TEST(TrainingTextTest, FewerRightLabelsAreNoImprovement) {
  TrainingReport report = Report();
  report.quantized.loss_sum = 0;
  report.quantized.correct = report.calibrated.correct - 1;
  EXPECT_FALSE(TrainingHelps(report));
  report.quantized.correct = report.calibrated.correct;
  EXPECT_TRUE(TrainingHelps(report));
  report.quantized.loss_sum = 1e9;
  EXPECT_FALSE(TrainingHelps(report));
  ++report.quantized.correct;
  EXPECT_TRUE(TrainingHelps(report));
}

TEST(TrainingTextTest, AFiniteLossIsBetterThanNan) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const int64_t samples : {0, 20}) {
    TrainingReport report = Report();
    report.calibrated = {2, nan, samples, 0};
    report.quantized = {2, 0.6, samples, 0};
    EXPECT_EQ(TrainingWarning(report), "");
    std::swap(report.calibrated, report.quantized);
    EXPECT_THAT(TrainingWarning(report), HasSubstr("has not improved"));
    report.calibrated = report.quantized;
    EXPECT_THAT(TrainingWarning(report), HasSubstr("has not improved"));
  }
}

}  // namespace
}  // namespace ns
