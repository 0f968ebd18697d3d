#include "ns/report/table/accuracy_text.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "ns/result/printable.h"

namespace ns {
namespace {

constexpr size_t kListed = 10;

std::string FlipLine(const Flip& flip) {
  return absl::StrFormat(
      "  batch %d, sample %d: label %d, float %d (margin %.3g), quantized %d "
      "(margin %.3g)\n",
      flip.batch, flip.sample, flip.label, flip.float_class, flip.float_margin,
      flip.quantized_class, flip.quantized_margin);
}

// Returns "0.912", or "nan".
std::string Number(double value) {
  return std::isnan(value) ? "nan" : absl::StrFormat("%.4g", value);
}

// Returns "-0.038", with a sign.
std::string Change(double value) {
  return std::isnan(value) ? "nan" : absl::StrFormat("%+.4g", value);
}

}  // namespace

std::string AccuracySummary(const Accuracy& accuracy) {
  std::string text = absl::StrFormat(
      "\ntop-1 of %d samples: float %.2f %%, quantized %.2f %%, %+.2f points "
      "(95 %%: %+.2f to %+.2f)\n",
      accuracy.samples, 100 * accuracy.float_top1,
      100 * accuracy.quantized_top1, 100 * accuracy.difference,
      100 * accuracy.lowest_difference, 100 * accuracy.highest_difference);
  absl::StrAppendFormat(
      &text, "same class for %.2f %%; %s\n", 100 * accuracy.agreement,
      accuracy.flipped == 0   ? "no flips"
      : accuracy.flipped == 1 ? "1 flip:"
                              : absl::StrCat(accuracy.flipped, " flips:"));
  const size_t listed = std::min(accuracy.flips.size(), kListed);
  for (size_t i = 0; i < listed; ++i) {
    absl::StrAppend(&text, FlipLine(accuracy.flips[i]));
  }
  if (accuracy.flipped > static_cast<int64_t>(listed)) {
    absl::StrAppend(&text, "  and ",
                    accuracy.flipped - static_cast<int64_t>(listed),
                    " more (see --json)\n");
  }
  return text;
}

std::string AgreementText(const ClassAgreement& agreement) {
  return absl::StrCat(
      absl::StrFormat("top-1 %.2f %%, ", 100 * agreement.top1),
      agreement.top5 ? absl::StrFormat("top-5 %.2f %%, ", 100 * *agreement.top5)
                     : "",
      std::isnan(agreement.confidence_drift)
          ? "confidence nan"
          : absl::StrFormat("confidence %+.2g", agreement.confidence_drift));
}

std::string SamplesText(const ComparedSamples& samples) {
  const std::vector<int64_t>& all = samples.samples;
  const size_t listed = std::min(all.size(), kListed);
  return absl::StrCat(
      absl::StrJoin(all.begin(),
                    all.begin() + static_cast<std::ptrdiff_t>(listed), ", "),
      all.size() > listed ? absl::StrCat(" and ", all.size() - listed, " more")
                          : "",
      " of ", samples.total, " (", samples.chosen, ")");
}

std::string ScoreSummary(const std::vector<TaskScore>& scores) {
  size_t name_width = 0;
  size_t float_width = 0;
  size_t quantized_width = 0;
  for (const TaskScore& score : scores) {
    name_width = std::max(name_width, Printable(score.name).size());
    float_width = std::max(float_width, Number(score.of_float).size());
    quantized_width =
        std::max(quantized_width, Number(score.of_quantized).size());
  }
  std::string text = scores.empty() ? "" : "\n";
  for (const TaskScore& score : scores) {
    absl::StrAppendFormat(&text, "score %-*s  float %-*s  quantized %-*s  %s\n",
                          name_width, Printable(score.name), float_width,
                          Number(score.of_float), quantized_width,
                          Number(score.of_quantized), Change(score.difference));
  }
  return text;
}

std::string ScoreText(const TaskScore& score) {
  return absl::StrCat("float ", Number(score.of_float), ", quantized ",
                      Number(score.of_quantized), ", ",
                      Change(score.difference));
}

}  // namespace ns
