#include "ns/findings/limits/settled_limits.h"

#include <cmath>
#include <map>

#include "absl/algorithm/container.h"
#include "absl/strings/string_view.h"
#include "ns/findings/error_breakdown.h"
#include "ns/findings/output_view.h"
#include "ns/findings/saturation.h"

namespace ns {
namespace {

constexpr double kInfinity = HUGE_VAL;

// Whether an SQNR that crossed a limit does so for values that stay.
bool HasLastingError(const LimitCheck& check, const LayerComparison& layer) {
  if (check.kind == LimitKind::kMaxDrop && check.figure != "activation") {
    return false;
  }
  return absl::c_any_of(OutputViews(layer), [&](const OutputView& output) {
    const bool is_checked =
        check.output == (output.other == nullptr ? "" : output.other->name);
    if (!is_checked || !output.activation->has_value()) {
      return false;
    }
    const ActivationComparison& figures = **output.activation;
    const double db = figures.error.sqnr_db;
    return !IsOfFiniteValues(figures) && (std::isnan(db) || db == -kInfinity);
  });
}

// Whether clipping stays above its bound with `batches_left` more batches.
bool ClipsForGood(const LimitCheck& check, const LayerComparison& layer,
                  int64_t batches, int64_t batches_left) {
  const double share = LastingClippedShare(layer);
  const auto done = static_cast<double>(batches);
  return std::isnan(share) ||
         share * done / (done + static_cast<double>(batches_left)) >
             check.bound;
}

}  // namespace

bool IsCrossedForGood(const std::vector<LimitCheck>& checks,
                      const ComparisonResult& so_far, int64_t batches_left) {
  std::map<absl::string_view, const LayerComparison*> layers;
  for (const LayerComparison& layer : so_far.layers) {
    layers.emplace(layer.name, &layer);
  }
  return absl::c_any_of(checks, [&](const LimitCheck& check) {
    if (check.passed) {
      return false;
    }
    if (check.kind == LimitKind::kMaxUnmatched) {
      return true;
    }
    if (check.kind != LimitKind::kFailBelow &&
        check.kind != LimitKind::kMaxClip &&
        check.kind != LimitKind::kMaxDrop) {
      return false;  // Any batch may change it.
    }
    const auto layer = layers.find(check.layer);
    if (layer == layers.end()) {
      return false;  // No layer has a figure yet.
    }
    return check.kind == LimitKind::kMaxClip
               ? ClipsForGood(check, *layer->second, so_far.batches,
                              batches_left)
               : HasLastingError(check, *layer->second);
  });
}

}  // namespace ns
