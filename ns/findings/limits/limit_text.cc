#include "ns/findings/limits/limit_text.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>

#include "absl/algorithm/container.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "ns/result/output_label.h"
#include "ns/result/printable.h"

namespace ns {
namespace {

constexpr size_t kMostListed = 20;

struct NamedKind {
  LimitKind kind;
  absl::string_view name;
};

constexpr NamedKind kKinds[] = {
    {LimitKind::kFailBelow, "fail-below"},
    {LimitKind::kMaxClip, "max-clip"},
    {LimitKind::kMaxDeadChannels, "max-dead-channels"},
    {LimitKind::kFailBelowOutput, "fail-below-output"},
    {LimitKind::kMaxScoreDrop, "max-score-drop"},
    {LimitKind::kMaxUnmatched, "max-unmatched"},
    {LimitKind::kMaxDrop, "max-drop"},
    {LimitKind::kMaxOutputDrop, "max-output-drop"},
};

// The digits that every double has, and those that tell every two apart.
constexpr int kSureDigits = 15;
constexpr int kAllDigits = 17;

// Returns `bound` as a user writes it: a decimal number of up to 15 digits.
std::string BoundText(double bound) {
  return absl::StrFormat("%.*g", kSureDigits, bound);
}

double Parsed(absl::string_view text) {
  double number = 0;
  return absl::SimpleAtod(text, &number) ? number : std::nan("");
}

// Returns `value` with one decimal, or with as many as it takes for the text to
// be on the same side of `bound`: 29.98 is not "30.0" where 30 is the limit.
std::string Shown(double value, double bound) {
  std::string text;
  for (int decimals = 1; decimals <= kAllDigits; ++decimals) {
    text = absl::StrFormat("%.*f", decimals, value);
    const double shown = Parsed(text);
    if ((shown < bound) == (value < bound) &&
        (shown > bound) == (value > bound)) {
      return text;
    }
  }
  return absl::StrFormat("%.*g", kAllDigits, value);
}

// Returns `value` with three digits, or with as many as it takes for the text
// to be above `bound` as well.
std::string ShownScore(double value, double bound) {
  for (int digits = 3; digits < kAllDigits; ++digits) {
    const std::string text = absl::StrFormat("%.*g", digits, value);
    if (Parsed(text) > bound) {
      return text;
    }
  }
  return absl::StrFormat("%.*g", kAllDigits, value);
}

std::string Percent(double share) {
  return absl::StrCat(BoundText(100 * share), "%");
}

// The tolerance of `check` with two digits, or with as many as it takes for
// value, bound and tolerance as printed to be crossed as well.
std::string ToleranceText(const LimitCheck& check) {
  std::string text;
  for (int digits = 2; digits <= kAllDigits; ++digits) {
    text = absl::StrFormat("%.*g", digits, check.tolerance);
    if (check.bound + Parsed(text) < check.value) {
      break;
    }
  }
  return text;
}

std::string DropText(const LimitCheck& check) {
  const std::string limit =
      absl::StrCat("--", LimitName(check.kind), "=", BoundText(check.bound));
  if (check.figure.empty()) {
    return absl::StrFormat(
        "no figure is in both comparisons, and %sdB needs one", limit);
  }
  if (std::isnan(check.value)) {
    return absl::StrFormat(
        "%s SQNR is nan or not there any more, and %sdB needs a number",
        check.figure, limit);
  }
  const std::string tolerance = ToleranceText(check);
  return absl::StrFormat(
      "%s SQNR dropped by %s dB, more than %sdB%s", check.figure,
      Shown(check.value, check.bound + Parsed(tolerance)), limit,
      check.tolerance > 0
          ? absl::StrCat(" and ", tolerance, " for the spread over batches")
          : "");
}

// The names in `names`, as many as are listed, then how many more there are.
std::string NameList(const std::vector<std::string>& names) {
  const size_t listed = std::min(names.size(), kMostListed);
  std::string list = absl::StrJoin(
      names.begin(), names.begin() + static_cast<std::ptrdiff_t>(listed), ", ",
      [](std::string* out, const std::string& name) {
        absl::StrAppend(out, Printable(name));
      });
  if (names.size() > listed) {
    absl::StrAppend(&list, " and ", names.size() - listed, " more");
  }
  return list;
}

// Returns "fc: activation SQNR ...".
std::string PlacedText(const LimitCheck& check) {
  const std::string place = CheckedPlace(check);
  return absl::StrCat(place, place.empty() ? "" : ": ", CrossedText(check));
}

std::string Count(size_t limits) {
  return absl::StrCat(limits, limits == 1 ? " limit" : " limits");
}

}  // namespace

absl::string_view LimitName(LimitKind kind) {
  return absl::c_find_if(kKinds,
                         [&](const NamedKind& row) { return row.kind == kind; })
      ->name;
}

std::optional<LimitKind> LimitKindNamed(absl::string_view name) {
  const auto* row = absl::c_find_if(
      kKinds, [&](const NamedKind& one) { return one.name == name; });
  return row == std::end(kKinds) ? std::nullopt : std::optional(row->kind);
}

std::string CheckedPlace(const LimitCheck& check) {
  return Printable(OutputLabel(check.layer, check.output));
}

std::string CrossedText(const LimitCheck& check) {
  const bool is_nan = std::isnan(check.value);
  switch (check.kind) {
    case LimitKind::kFailBelow:
      return is_nan
                 ? absl::StrFormat(
                       "activation SQNR is nan, and --fail-below=%s needs a "
                       "number",
                       BoundText(check.bound))
                 : absl::StrFormat(
                       "activation SQNR %s dB is below --fail-below=%s",
                       Shown(check.value, check.bound), BoundText(check.bound));
    case LimitKind::kMaxClip:
      return is_nan ? absl::StrFormat(
                          "no share of clipped values, which --max-clip=%s "
                          "needs",
                          Percent(check.bound))
                    : absl::StrFormat(
                          "%s %% of the values are clipped, more than "
                          "--max-clip=%s",
                          Shown(100 * check.value, 100 * check.bound),
                          Percent(check.bound));
    case LimitKind::kMaxDeadChannels:
      return is_nan ? absl::StrFormat(
                          "no channels, of which --max-dead-channels=%s needs "
                          "some",
                          Percent(check.bound))
                    : absl::StrFormat(
                          "%s %% of the channels are below 3 dB, more than "
                          "--max-dead-channels=%s",
                          Shown(100 * check.value, 100 * check.bound),
                          Percent(check.bound));
    case LimitKind::kFailBelowOutput:
      return is_nan
                 ? absl::StrFormat(
                       "no output of the models has this SQNR, which "
                       "--fail-below-output=%s needs",
                       BoundText(check.bound))
                 : absl::StrFormat(
                       "output SQNR %s dB is below --fail-below-output=%s",
                       Shown(check.value, check.bound), BoundText(check.bound));
    case LimitKind::kMaxScoreDrop:
      return is_nan ? absl::StrFormat(
                          "a score is nan or was not computed, and "
                          "--max-score-drop=%s needs a number",
                          BoundText(check.bound))
                    : absl::StrFormat(
                          "the quantized model's score is %s lower, more than "
                          "--max-score-drop=%s",
                          ShownScore(check.value, check.bound),
                          BoundText(check.bound));
    case LimitKind::kMaxUnmatched:
      return absl::StrFormat("%s %s unmatched, more than --max-unmatched=%s",
                             BoundText(check.value),
                             check.value == 1 ? "op is" : "ops are",
                             BoundText(check.bound));
    case LimitKind::kMaxDrop:
    case LimitKind::kMaxOutputDrop:
      return DropText(check);
  }
  return "";
}

std::vector<LimitCheck> CrossedLimits(const std::vector<LimitCheck>& checks) {
  std::vector<LimitCheck> crossed;
  absl::c_copy_if(checks, std::back_inserter(crossed),
                  [](const LimitCheck& check) { return !check.passed; });
  return crossed;
}

std::string CrossedLine(const std::vector<LimitCheck>& checks) {
  const std::vector<LimitCheck> crossed = CrossedLimits(checks);
  if (crossed.empty()) {
    return "";
  }
  const size_t listed = std::min(crossed.size(), kMostListed);
  return absl::StrCat(
      Count(crossed.size()), " crossed: ",
      absl::StrJoin(crossed.begin(),
                    crossed.begin() + static_cast<std::ptrdiff_t>(listed), "; ",
                    [](std::string* out, const LimitCheck& check) {
                      absl::StrAppend(out, PlacedText(check));
                    }),
      crossed.size() > listed
          ? absl::StrCat("; and ", crossed.size() - listed, " more")
          : "");
}

std::string LimitLines(const std::vector<LimitCheck>& checks) {
  const std::vector<LimitCheck> crossed = CrossedLimits(checks);
  std::string text = crossed.empty()
                         ? absl::StrCat("\n", Count(checks.size()), " kept\n")
                         : absl::StrCat("\n", crossed.size(), " of ",
                                        Count(checks.size()), " crossed:\n");
  for (size_t i = 0; i < std::min(crossed.size(), kMostListed); ++i) {
    absl::StrAppend(&text, "  ", PlacedText(crossed[i]), "\n");
  }
  if (crossed.size() > kMostListed) {
    absl::StrAppend(&text, "  and ", crossed.size() - kMostListed,
                    " more (see --json)\n");
  }
  return text;
}

std::string BaselineLines(const BaselineLayers& baseline) {
  std::string lines;
  const auto append = [&](absl::string_view what,
                          const std::vector<std::string>& names) {
    if (!names.empty()) {
      absl::StrAppend(&lines, "\n", names.size(), " ", what, " ",
                      Printable(baseline.path), ":\n  ", NameList(names), "\n");
    }
  };
  append("new, not in", baseline.added);
  append("vanished, only in", baseline.vanished);
  return lines;
}

}  // namespace ns
