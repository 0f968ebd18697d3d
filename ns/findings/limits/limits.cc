#include "ns/findings/limits/limits.h"

#include <fnmatch.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "ir/base/nearest_name.h"
#include "ir/base/status.h"
#include "ns/findings/limits/limit_text.h"
#include "ns/findings/saturation.h"
#include "ns/findings/table_figures.h"

namespace ns {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

bool IsShare(LimitKind kind) {
  return kind == LimitKind::kMaxClip || kind == LimitKind::kMaxDeadChannels;
}

// Whether a figure may be at most the bound, rather than at least.
bool IsUpperBound(LimitKind kind) {
  return IsShare(kind) || kind == LimitKind::kMaxScoreDrop;
}

// By what part of the bound a figure may exceed it: the difference of two
// scores, such as 0.912 - 0.902, is rounded.
double SlackOf(LimitKind kind) {
  return kind == LimitKind::kMaxScoreDrop ? 1e-9 : 0;
}

// Whether layers have the figure, rather than the whole model.
bool IsOfLayers(LimitKind kind) {
  return kind != LimitKind::kFailBelowOutput &&
         kind != LimitKind::kMaxScoreDrop;
}

absl::StatusOr<double> ParseBound(LimitKind kind, absl::string_view text) {
  double bound = 0;
  if (IsShare(kind)) {
    absl::string_view number = text;
    if (!absl::ConsumeSuffix(&number, "%") ||
        !absl::SimpleAtod(number, &bound) || !(bound >= 0 && bound <= 100)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "'", text, "' is no percentage from 0% to 100%, such as 1%"));
    }
    return bound / 100;
  }
  if (kind == LimitKind::kMaxScoreDrop) {
    if (!absl::SimpleAtod(text, &bound) || !std::isfinite(bound) || bound < 0) {
      return absl::InvalidArgumentError(absl::StrCat(
          "'", text, "' is not a number of at least 0, such as 0.01"));
    }
    return bound;
  }
  absl::string_view number = text;
  if (absl::EndsWithIgnoreCase(number, "db")) {
    number.remove_suffix(2);
  }
  if (!absl::SimpleAtod(number, &bound) || !std::isfinite(bound)) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", text, "' is no SQNR in dB, such as 20"));
  }
  return bound;
}

bool IsNamedBy(const LayerLimit& limit, const std::string& layer) {
  return limit.layers.empty() || limit.layers == layer ||
         fnmatch(limit.layers.c_str(), layer.c_str(), 0) == 0;
}

// The index of the part that decides for a layer; absent when none does.
std::optional<size_t> DecidingPart(const std::vector<LayerLimit>& limits,
                                   const std::string& layer) {
  std::optional<size_t> deciding;
  // 1 for all layers, 2 for a glob, 3 for a name.
  int best = 0;
  for (size_t i = 0; i < limits.size(); ++i) {
    const int rank = limits[i].layers.empty()    ? 1
                     : limits[i].layers == layer ? 3
                                                 : 2;
    if (rank >= best && IsNamedBy(limits[i], layer)) {
      deciding = i;
      best = rank;
    }
  }
  return deciding;
}

std::string WithFlag(LimitKind kind, const LayerLimit& limit) {
  return absl::StrCat("--", LimitName(kind), "=", limit.layers, ":",
                      IsShare(kind) ? absl::StrCat(100 * limit.bound, "%")
                                    : absl::StrCat(limit.bound));
}

// `what` the names are of, and the `way_out` where none is similar.
absl::Status CheckNames(LimitKind kind, const std::vector<LayerLimit>& limits,
                        const std::vector<std::string>& names,
                        absl::string_view what, absl::string_view way_out) {
  for (const LayerLimit& limit : limits) {
    if (absl::c_none_of(names, [&](const std::string& name) {
          return IsNamedBy(limit, name);
        })) {
      const std::vector<absl::string_view> views(names.begin(), names.end());
      return absl::InvalidArgumentError(
          absl::StrCat(WithFlag(kind, limit), " names no ", what, "; ",
                       DidYouMean(limit.layers, views, way_out)));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckLayerNames(LimitKind kind,
                             const std::vector<LayerLimit>& limits,
                             const ComparisonResult& result) {
  std::vector<std::string> names;
  for (const LayerComparison& layer : result.layers) {
    names.push_back(layer.name);
  }
  return CheckNames(kind, limits, names, "layer",
                    "ns match prints their names");
}

// A figure of a layer, and the output that has it; empty for the first.
struct Measured {
  double value = 0;
  std::string output;
};

std::optional<Measured> MeasuredOf(LimitKind kind,
                                   const LayerComparison& layer) {
  if (kind == LimitKind::kMaxDeadChannels) {
    const auto& activation = layer.activation;
    return activation && activation->channels &&
                   activation->channels->channels > 0
               ? std::optional(Measured{
                     static_cast<double>(activation->channels->below_3db) /
                         static_cast<double>(activation->channels->channels),
                     ""})
               : std::nullopt;
  }
  if (kind == LimitKind::kMaxClip) {
    const std::optional<double> share = ClippedShare(layer);
    return share ? std::optional(Measured{*share, ""}) : std::nullopt;
  }
  const OutputSqnr lowest = LowestSqnr(layer, Figure::kActivation);
  if (!lowest.db.has_value()) {
    return std::nullopt;
  }
  return Measured{*lowest.db,
                  lowest.output == nullptr ? "" : lowest.output->name};
}

// What a limit of some kind may be held against.
struct Limited {
  std::string name;
  std::optional<Measured> figure;
};

std::vector<Limited> LimitedBy(LimitKind kind, const ComparisonResult& result) {
  std::vector<Limited> limited;
  if (kind == LimitKind::kFailBelowOutput) {
    for (const ModuleOutputComparison& output : result.model_outputs) {
      limited.push_back(
          {output.name, Measured{output.figures.error.sqnr_db, ""}});
    }
    return limited;
  }
  if (kind == LimitKind::kMaxScoreDrop) {
    for (const TaskScore& score : result.scores) {
      limited.push_back(
          {score.name, Measured{score.of_float - score.of_quantized, ""}});
    }
    return limited;
  }
  for (const LayerComparison& layer : result.layers) {
    limited.push_back({layer.name, MeasuredOf(kind, layer)});
  }
  return limited;
}

void CheckEach(LimitKind kind, const std::vector<LayerLimit>& limits,
               const ComparisonResult& result,
               std::vector<LimitCheck>& checks) {
  const std::vector<Limited> all = LimitedBy(kind, result);
  // What each part decides for, and how much of that has a figure.
  std::vector<size_t> decided(limits.size());
  std::vector<size_t> measured(limits.size());
  for (const auto& [name, figure] : all) {
    const std::optional<size_t> part = DecidingPart(limits, name);
    if (!part.has_value()) {
      continue;
    }
    ++decided[*part];
    if (!figure.has_value()) {
      continue;
    }
    ++measured[*part];
    LimitCheck check;
    check.kind = kind;
    check.layer = name;
    check.output = figure->output;
    check.value = figure->value;
    check.bound = limits[*part].bound;
    // Both are false for nan.
    check.passed = IsUpperBound(kind)
                       ? check.value <= check.bound * (1 + SlackOf(kind))
                       : check.value >= check.bound;
    checks.push_back(std::move(check));
  }
  for (size_t i = 0; i < limits.size(); ++i) {
    // A part for which others decide is left alone.
    const bool decides = decided[i] > 0 || all.empty() || !IsOfLayers(kind);
    if (decides && measured[i] == 0) {
      LimitCheck check;
      check.kind = kind;
      check.layer = limits[i].layers;
      check.value = kNan;
      check.bound = limits[i].bound;
      checks.push_back(std::move(check));
    }
  }
}

}  // namespace

absl::StatusOr<std::vector<LayerLimit>> ParseLayerLimits(
    LimitKind kind, absl::string_view text) {
  std::vector<LayerLimit> limits;
  for (const absl::string_view part : absl::StrSplit(text, ',')) {
    // Names may have colons; bounds have none.
    const size_t colon = part.rfind(':');
    LayerLimit limit;
    absl::string_view bound = part;
    if (colon != absl::string_view::npos) {
      limit.layers = std::string(part.substr(0, colon));
      bound = part.substr(colon + 1);
      if (limit.layers.empty()) {
        return absl::InvalidArgumentError(
            absl::StrCat("'", part, "' has no name before its colon"));
      }
    }
    NS_ASSIGN_OR_RETURN(limit.bound, ParseBound(kind, bound));
    if (absl::c_any_of(limits, [&](const LayerLimit& other) {
          return other.layers == limit.layers;
        })) {
      return absl::InvalidArgumentError(
          limit.layers.empty()
              ? "there are two bounds for all layers"
              : absl::StrCat("there are two bounds for '", limit.layers, "'"));
    }
    limits.push_back(std::move(limit));
  }
  return limits;
}

absl::StatusOr<double> ParseDecibels(absl::string_view text) {
  absl::string_view number = text;
  if (absl::EndsWithIgnoreCase(number, "db")) {
    number.remove_suffix(2);
  }
  double db = 0;
  if (!absl::SimpleAtod(absl::StripAsciiWhitespace(number), &db) ||
      !std::isfinite(db) || db < 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "'", text, "' is no number of dB of at least 0, such as 1dB"));
  }
  return db;
}

absl::Status CheckLimitNames(const Limits& limits,
                             const ComparisonResult& result) {
  NS_RETURN_IF_ERROR(
      CheckLayerNames(LimitKind::kFailBelow, limits.fail_below, result));
  NS_RETURN_IF_ERROR(
      CheckLayerNames(LimitKind::kMaxClip, limits.max_clip, result));
  return CheckLayerNames(LimitKind::kMaxDeadChannels, limits.max_dead_channels,
                         result);
}

absl::Status CheckScoreNames(const Limits& limits,
                             const std::vector<std::string>& scores) {
  return CheckNames(
      LimitKind::kMaxScoreDrop, limits.max_score_drop, scores, "score",
      absl::StrCat("the scores are ", absl::StrJoin(scores, ", ")));
}

std::vector<LimitCheck> CheckLimits(const Limits& limits,
                                    const ComparisonResult& result) {
  std::vector<LimitCheck> checks;
  CheckEach(LimitKind::kFailBelow, limits.fail_below, result, checks);
  CheckEach(LimitKind::kMaxClip, limits.max_clip, result, checks);
  CheckEach(LimitKind::kMaxDeadChannels, limits.max_dead_channels, result,
            checks);
  CheckEach(LimitKind::kFailBelowOutput, limits.fail_below_output, result,
            checks);
  CheckEach(LimitKind::kMaxScoreDrop, limits.max_score_drop, result, checks);
  if (limits.max_unmatched.has_value()) {
    LimitCheck check;
    check.kind = LimitKind::kMaxUnmatched;
    check.value = static_cast<double>(result.unmatched.size());
    check.bound = static_cast<double>(*limits.max_unmatched);
    check.passed = check.value <= check.bound;
    checks.push_back(check);
  }
  return checks;
}

}  // namespace ns
