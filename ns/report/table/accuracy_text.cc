#include "ns/report/table/accuracy_text.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

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

}  // namespace ns
