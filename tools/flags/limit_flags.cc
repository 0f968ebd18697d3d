#include "tools/flags/limit_flags.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/base/status.h"
#include "ns/findings/limits/comparison_diff.h"
#include "ns/findings/limits/limit_text.h"
#include "ns/findings/limits/settled_limits.h"
#include "ns/report/json/read_comparison.h"

namespace ns {
namespace {

template <typename... Parts>
absl::Status Refused(const Parts&... parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts...));
}

absl::Status ParseLayers(const Flags& flags, LimitKind kind,
                         std::vector<LayerLimit>& limits) {
  const absl::string_view name = LimitName(kind);
  if (!flags.Has(name)) {
    return absl::OkStatus();
  }
  absl::StatusOr<std::vector<LayerLimit>> parsed =
      ParseLayerLimits(kind, flags.Get(name));
  if (!parsed.ok()) {
    return Refused("--", name, ": ", parsed.status().message());
  }
  limits = *std::move(parsed);
  return absl::OkStatus();
}

absl::Status ParseDrop(const Flags& flags, LimitKind kind,
                       std::optional<double>& drop_db) {
  const absl::string_view name = LimitName(kind);
  if (!flags.Has(name)) {
    return absl::OkStatus();
  }
  if (!flags.Has("baseline")) {
    return Refused("--", name,
                   " needs --baseline=PATH with what --json wrote earlier");
  }
  const absl::StatusOr<double> drop = ParseDecibels(flags.Get(name));
  if (!drop.ok()) {
    return Refused("--", name, ": ", drop.status().message());
  }
  drop_db = *drop;
  return absl::OkStatus();
}

absl::Status ParseDrops(const Flags& flags, LimitFlags& limits) {
  NS_RETURN_IF_ERROR(ParseDrop(flags, LimitKind::kMaxDrop, limits.max_drop_db));
  NS_RETURN_IF_ERROR(
      ParseDrop(flags, LimitKind::kMaxOutputDrop, limits.max_output_drop_db));
  if (!flags.Has("baseline")) {
    return absl::OkStatus();
  }
  if (!limits.max_drop_db && !limits.max_output_drop_db) {
    return Refused("--baseline needs a limit, such as --max-drop=1dB");
  }
  NS_ASSIGN_OR_RETURN(limits.baseline_path, flags.Required("baseline"));
  return absl::OkStatus();
}

absl::Status CheckFigures(const Flags& flags, const LimitFlags& limits,
                          const LimitedFigures& figures) {
  for (const absl::string_view flag : {"junit", "early-stop"}) {
    if (flags.Has(flag) && limits.empty()) {
      return Refused("--", flag, " needs a limit, such as --fail-below=20");
    }
  }
  if (!limits.empty() && !figures.layers) {
    return Refused(
        "limits are on single layers; --what needs weights, activations or "
        "shadows");
  }
  if (!limits.limits.fail_below.empty() && !figures.activations) {
    return Refused(
        "--fail-below is on activations; it needs --what=activations and "
        "--inputs=PATH");
  }
  if (!limits.limits.max_clip.empty() && !figures.activations &&
      !figures.shadows) {
    return Refused(
        "--max-clip is on activations; it needs --what=activations or shadows "
        "and --inputs=PATH");
  }
  for (const absl::string_view flag :
       {"max-dead-channels", "fail-below-output", "max-output-drop"}) {
    if (flags.Has(flag) && !figures.activations) {
      return Refused("--", flag, " needs --what=activations and --inputs=PATH");
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<LimitFlags> ParseLimitFlags(const Flags& flags,
                                           const LimitedFigures& figures) {
  LimitFlags parsed;
  Limits& limits = parsed.limits;
  NS_RETURN_IF_ERROR(
      ParseLayers(flags, LimitKind::kFailBelow, limits.fail_below));
  NS_RETURN_IF_ERROR(ParseLayers(flags, LimitKind::kMaxClip, limits.max_clip));
  NS_RETURN_IF_ERROR(ParseLayers(flags, LimitKind::kMaxDeadChannels,
                                 limits.max_dead_channels));
  NS_RETURN_IF_ERROR(ParseLayers(flags, LimitKind::kFailBelowOutput,
                                 limits.fail_below_output));
  NS_RETURN_IF_ERROR(
      ParseLayers(flags, LimitKind::kMaxScoreDrop, limits.max_score_drop));
  NS_ASSIGN_OR_RETURN(limits.max_unmatched, flags.Number("max-unmatched", 0));
  NS_RETURN_IF_ERROR(ParseDrops(flags, parsed));
  parsed.early_stop = flags.Has("early-stop");
  NS_RETURN_IF_ERROR(CheckFigures(flags, parsed, figures));
  return parsed;
}

absl::StatusOr<LimitChecker> LimitChecker::Create(const LimitFlags& flags) {
  LimitChecker checker;
  checker.flags_ = flags;
  if (!flags.baseline_path.empty()) {
    NS_ASSIGN_OR_RETURN(checker.baseline_, ReadComparison(flags.baseline_path));
  }
  return checker;
}

absl::Status LimitChecker::CheckMatches(const ComparisonResult& result) {
  wrong_usage_ = CheckLimitNames(flags_.limits, result);
  NS_RETURN_IF_ERROR(wrong_usage_);
  return baseline_ ? Annotated(flags_.baseline_path,
                               CheckSameModel(*baseline_, result))
                   : absl::OkStatus();
}

bool LimitChecker::IsCrossedForGood(const ComparisonResult& so_far,
                                    int64_t batches_left) const {
  std::vector<LimitCheck> checks = CheckLimits(flags_.limits, so_far);
  if (baseline_ && flags_.max_drop_db) {
    const std::vector<LimitCheck> drops =
        CheckDrops(DiffComparisons(*baseline_, so_far), *flags_.max_drop_db);
    checks.insert(checks.end(), drops.begin(), drops.end());
  }
  return ns::IsCrossedForGood(checks, so_far, batches_left);
}

void LimitChecker::Check(ComparisonResult& result) const {
  if (flags_.empty()) {
    return;
  }
  result.limits = CheckLimits(flags_.limits, result);
  if (!baseline_) {
    return;
  }
  const ComparisonDiff diff = DiffComparisons(*baseline_, result);
  const auto add = [&](const std::vector<LimitCheck>& checks) {
    result.limits->insert(result.limits->end(), checks.begin(), checks.end());
  };
  if (flags_.max_drop_db) {
    add(CheckDrops(diff, *flags_.max_drop_db));
  }
  if (flags_.max_output_drop_db) {
    add(CheckOutputDrops(*baseline_, result, *flags_.max_output_drop_db));
  }
  result.baseline = {flags_.baseline_path, diff.only_b, diff.only_a};
}

}  // namespace ns
