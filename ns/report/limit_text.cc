#include "ns/report/limit_text.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "ns/suite/output_label.h"
#include "ns/suite/printable.h"

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
    {LimitKind::kMaxUnmatched, "max-unmatched"},
    {LimitKind::kMaxDrop, "max-drop"},
};

// Returns `value` with one decimal, or with as many as it takes to tell it from
// `bound`: 29.98 is not "30.0" where 30 is the limit.
std::string Shown(double value, double bound) {
  for (int decimals = 1; decimals < 6; ++decimals) {
    const double unit = std::pow(10.0, -decimals);
    if (std::abs(value - bound) >= unit / 2 || value == bound) {
      return absl::StrFormat("%.*f", decimals, value);
    }
  }
  return absl::StrCat(value);
}

std::string Percent(double share) { return absl::StrCat(100 * share, "%"); }

std::string DropText(const LimitCheck& check) {
  if (check.figure.empty()) {
    return absl::StrFormat(
        "no figure is in both comparisons, and --max-drop=%gdB needs one",
        check.bound);
  }
  if (std::isnan(check.value)) {
    return absl::StrFormat(
        "%s SQNR is nan or not there any more, and --max-drop=%gdB needs a "
        "number",
        check.figure, check.bound);
  }
  return absl::StrFormat(
      "%s SQNR dropped by %s dB, more than --max-drop=%gdB%s", check.figure,
      Shown(check.value, check.bound + check.tolerance), check.bound,
      check.tolerance > 0
          ? absl::StrFormat(" and %.2g for the spread over batches",
                            check.tolerance)
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
      return is_nan ? absl::StrFormat(
                          "activation SQNR is nan, and --fail-below=%g needs a "
                          "number",
                          check.bound)
                    : absl::StrFormat(
                          "activation SQNR %s dB is below --fail-below=%g",
                          Shown(check.value, check.bound), check.bound);
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
    case LimitKind::kMaxUnmatched:
      return absl::StrFormat(
          "%g %s unmatched, more than --max-unmatched=%g", check.value,
          check.value == 1 ? "op is" : "ops are", check.bound);
    case LimitKind::kMaxDrop:
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
