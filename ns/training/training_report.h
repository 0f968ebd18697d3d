// What is known of the training of a model.
#ifndef NS_TRAINING_TRAINING_REPORT_H_
#define NS_TRAINING_TRAINING_REPORT_H_

#include <cstdint>
#include <string>
#include <vector>

namespace ns {

// A model on some batches.
struct TrainingFigures {
  int64_t batches = 0;
  // The sum of the losses of the batches (training_loss.h).
  double loss_sum = 0;
  // How many samples there were, and for how many the label had the greatest
  // score. Of classifiers; 0 of other models.
  int64_t samples = 0;
  int64_t correct = 0;

  // The mean over batches; nan without any.
  double loss() const { return loss_sum / static_cast<double>(batches); }
  // correct / samples, from 0 to 1; nan without samples.
  double top1() const {
    return static_cast<double>(correct) / static_cast<double>(samples);
  }
};

struct EpochReport {
  // Counted from 0.
  int64_t epoch = 0;
  // While the epoch trained the model.
  TrainingFigures trained;
  // After the epoch, on what is held out. If nothing is, `batches` is 0.
  TrainingFigures held_out;
};

struct TrainingReport {
  // "labels", or "float model" where that is the teacher.
  std::string goal;
  // "adam" or "sgd".
  std::string optimizer;
  double learning_rate = 0;
  // How many batches each epoch trains on, and how many are held out.
  int64_t trained_batches = 0;
  int64_t held_out_batches = 0;
  std::vector<EpochReport> epochs;
  // On the batches that are held out, or on all where none are: the float
  // model, the model quantized by calibration alone, and the trained one. If
  // calibration fails, `calibrated.batches` is 0.
  TrainingFigures float_model;
  TrainingFigures calibrated;
  TrainingFigures quantized;
  // Whether the calibrated model is the result, because the trained one is no
  // better (TrainingHelps in training_text.h).
  bool keeps_calibrated = false;
};

}  // namespace ns

#endif  // NS_TRAINING_TRAINING_REPORT_H_
