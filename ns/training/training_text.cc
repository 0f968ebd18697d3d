#include "ns/training/training_text.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace ns {
namespace {

std::string Count(int64_t count, const char* one, const char* several) {
  return absl::StrCat(count, " ", count == 1 ? one : several);
}

// Nan compares with nothing; here, a finite loss is lower.
bool HasLowerLoss(const TrainingFigures& a, const TrainingFigures& b) {
  return a.loss() < b.loss() ||
         (std::isfinite(a.loss()) && std::isnan(b.loss()));
}

}  // namespace

bool TrainingHelps(const TrainingReport& report) {
  const TrainingFigures& before = report.calibrated;
  const TrainingFigures& after = report.quantized;
  if (before.batches == 0 || after.correct != before.correct) {
    return before.batches == 0 || after.correct > before.correct;
  }
  return HasLowerLoss(after, before);
}

std::string FiguresText(const TrainingFigures& figures) {
  return figures.samples > 0
             ? absl::StrFormat("loss %.4f, top-1 %.2f %%", figures.loss(),
                               100 * figures.top1())
             : absl::StrFormat("SQNR %.1f dB",
                               -10 * std::log10(figures.loss()));
}

std::string EpochText(const EpochReport& epoch) {
  return absl::StrCat(
      "epoch ", epoch.epoch + 1, ": ", FiguresText(epoch.trained),
      epoch.held_out.batches == 0
          ? ""
          : absl::StrCat("; held out: ", FiguresText(epoch.held_out)));
}

std::string TrainingText(const TrainingReport& report) {
  std::string text = absl::StrCat(
      "\ntrained ",
      Count(static_cast<int64_t>(report.epochs.size()), "epoch", "epochs"),
      " of ", Count(report.trained_batches, "batch", "batches"), ", ",
      report.held_out_batches, " held out; goal: ", report.goal, "; ",
      report.optimizer,
      absl::StrFormat(", learning rate %g\n", report.learning_rate));
  for (const EpochReport& epoch : report.epochs) {
    absl::StrAppend(&text, "  ", EpochText(epoch), "\n");
  }
  absl::StrAppend(&text, report.held_out_batches > 0
                             ? "on what was held out:\n"
                             : "on the batches of the training:\n");
  if (report.float_model.samples > 0) {
    absl::StrAppend(&text, "  float       ", FiguresText(report.float_model),
                    "\n");
  }
  if (report.calibrated.batches > 0) {
    absl::StrAppend(&text, "  calibrated  ", FiguresText(report.calibrated),
                    "\n");
  }
  absl::StrAppend(
      &text, "  trained     ", FiguresText(report.quantized), "\n",
      report.keeps_calibrated ? "  the calibrated model was written\n" : "");
  return text;
}

std::string TrainingWarning(const TrainingReport& report) {
  return TrainingHelps(report)
             ? ""
             : absl::StrCat(
                   "training has not improved the model: ",
                   FiguresText(report.calibrated), " before and ",
                   FiguresText(report.quantized), " after; ",
                   report.keeps_calibrated
                       ? "the model was written as it was before training; "
                       : "--mode=static is enough, or ",
                   "train with another --lr or more --epochs");
}

}  // namespace ns
