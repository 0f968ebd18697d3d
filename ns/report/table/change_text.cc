#include "ns/report/table/change_text.h"

#include <iterator>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "ns/findings/figure_text.h"
#include "ns/result/printable.h"

namespace ns {
namespace {

std::string RangeText(const LayerComparison& layer, const TriedChange& change) {
  const LayerQParams& after = *change.qparams;
  if (!layer.qparams) {
    return absl::StrFormat("scale %.3g, zero point %d", after.scale,
                           after.zero_point);
  }
  const LayerQParams& before = *layer.qparams;
  std::string text =
      absl::StrFormat("scale %.3g -> %.3g", before.scale, after.scale);
  if (before.zero_point != after.zero_point) {
    absl::StrAppendFormat(&text, ", zero point %d -> %d", before.zero_point,
                          after.zero_point);
  }
  return text;
}

std::string WhatChanges(const LayerComparison& layer,
                        const TriedChange& change) {
  switch (change.kind) {
    case ChangeKind::kRange:
      return RangeText(layer, change);
    case ChangeKind::kWeight:
      return "its weight quantized by channel";
    case ChangeKind::kBias:
      break;
  }
  return "the bias of the float layer";
}

}  // namespace

absl::string_view ChangeKindName(ChangeKind kind) {
  switch (kind) {
    case ChangeKind::kRange:
      return "range";
    case ChangeKind::kWeight:
      return "weight";
    case ChangeKind::kBias:
      break;
  }
  return "bias";
}

double GainDb(const LayerComparison& layer, const TriedChange& change) {
  return change.sqnr_db - layer.shadow->error.sqnr_db;
}

std::string ChangeText(const LayerComparison& layer,
                       const TriedChange& change) {
  return absl::StrCat(WhatChanges(layer, change), ": ",
                      GainText(layer.shadow->error.sqnr_db, change.sqnr_db));
}

std::string FloatGainText(const FloatGain& gain) {
  return absl::StrCat("in float: ", Printable(gain.output), " ",
                      GainText(gain.before_db, gain.after_db));
}

std::vector<TriedChange> SuggestedChanges(const LayerComparison& layer) {
  std::vector<TriedChange> changes;
  absl::c_copy_if(layer.tried_changes, std::back_inserter(changes),
                  [&](const TriedChange& change) {
                    return GainDb(layer, change) >= kLeastSuggestedGainDb;
                  });
  absl::c_stable_sort(changes, [](const TriedChange& a, const TriedChange& b) {
    return a.sqnr_db > b.sqnr_db;
  });
  return changes;
}

}  // namespace ns
