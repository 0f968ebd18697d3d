// Says in words what the training of a model has achieved.
#ifndef NS_TRAINING_TRAINING_TEXT_H_
#define NS_TRAINING_TRAINING_TEXT_H_

#include <string>

#include "ns/training/training_report.h"

namespace ns {

// Returns "loss 0.4123, top-1 85.20 %"; for models without labels "SQNR 24.1
// dB", what the loss says of the distance to the teacher (training_loss.h).
std::string FiguresText(const TrainingFigures& figures);

// Returns "epoch 2: loss 0.4123, top-1 85.20 %; held out: loss 0.3911, top-1
// 86.72 %"; the second part only where batches are held out.
std::string EpochText(const EpochReport& epoch);

// Returns lines for all of the report: how it was trained, the epochs, and the
// three models that were measured.
std::string TrainingText(const TrainingReport& report);

// Whether the trained model is better than the calibrated one: it has a higher
// top-1 or, where that is the same or there are no labels, a lower loss (a
// finite one is lower than nan). True where no calibrated model was measured.
bool TrainingHelps(const TrainingReport& report);

// Returns a warning unless TrainingHelps, which also says whether the
// calibrated model was kept; else empty.
std::string TrainingWarning(const TrainingReport& report);

}  // namespace ns

#endif  // NS_TRAINING_TRAINING_TEXT_H_
