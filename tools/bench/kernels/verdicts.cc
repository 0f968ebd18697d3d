#include "tools/bench/kernels/verdicts.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/bench/kernels/averages.h"

namespace ns::bench {
namespace {

struct Bar {
  const char* what;
  bool cold;
  // The number that the bar is about; none for rows of other kinds.
  std::function<std::optional<double>(const Row&)> value;
  std::optional<double> mean;
  std::optional<double> lowest;
};

std::function<std::optional<double>(const Row&)> RatioToOneDnn(
    const char* kind) {
  return [kind](const Row& row) -> std::optional<double> {
    const std::optional<PeerTime>& peer = row.peers[kOneDnn];
    return row.kind == kind && peer.has_value()
               ? std::optional<double>(peer->ratio)
               : std::nullopt;
  };
}

std::optional<double> RatioToTorchOfFewRows(const Row& row) {
  if (row.kind != "linear" || row.rows > 8) {
    return std::nullopt;
  }
  std::optional<double> ratio;
  for (const Peer peer : {kTorchOneDnn, kTorchQnnpack}) {
    if (row.peers[peer].has_value()) {
      ratio = std::min(ratio.value_or(1e9), row.peers[peer]->ratio);
    }
  }
  return ratio;
}

std::optional<double> PeakOfManyRows(const Row& row) {
  return row.kind == "linear" && row.rows >= 64 ? row.of_peak : std::nullopt;
}

std::optional<double> RooflineOfOneRow(const Row& row) {
  return row.kind == "linear" && row.rows == 1 ? row.of_roofline : std::nullopt;
}

std::optional<double> MemcpyOfQuantize(const Row& row) {
  return absl::StrContains(row.name, "quantize") ? row.of_roofline
                                                 : std::nullopt;
}

std::vector<Bar> Bars() {
  return {
      {"linear vs oneDNN", false, RatioToOneDnn("linear"), 1.05, 0.95},
      {"linear vs oneDNN, cold", true, RatioToOneDnn("linear"), 1.05, 0.95},
      {"conv vs oneDNN", false, RatioToOneDnn("conv"), 1.05, 0.95},
      {"depthwise vs oneDNN", false, RatioToOneDnn("depthwise"), 1.4, {}},
      {"grouped vs oneDNN", false, RatioToOneDnn("grouped"), 1.2, {}},
      {"linear M <= 8 vs LibTorch", false, RatioToTorchOfFewRows, {}, 3},
      {"linear M >= 64, part of peak", false, PeakOfManyRows, {}, 0.9},
      {"linear M = 1, part of roofline", false, RooflineOfOneRow, {}, 0.85},
      {"linear M = 1, part of roofline, cold",
       true,
       RooflineOfOneRow,
       {},
       0.85},
      {"quantize, part of memcpy", false, MemcpyOfQuantize, {}, 0.8},
  };
}

std::string FormatBar(const std::optional<double>& bar) {
  return bar.has_value() ? absl::StrFormat(" (bar %.2f)", *bar) : "";
}

std::string FormatVerdict(const Bar& bar, int threads,
                          const std::vector<Row>& rows) {
  std::vector<double> values;
  const Row* lowest = nullptr;
  double least = 0;
  for (const Row& row : rows) {
    const std::optional<double> value =
        row.threads == threads && row.cold == bar.cold ? bar.value(row)
                                                       : std::nullopt;
    if (!value.has_value()) {
      continue;
    }
    values.push_back(*value);
    if (lowest == nullptr || *value < least) {
      lowest = &row;
      least = *value;
    }
  }
  if (lowest == nullptr) {
    return "";
  }
  const double mean = GeometricMean(values);
  const bool holds =
      mean >= bar.mean.value_or(0) && least >= bar.lowest.value_or(0);
  return absl::StrFormat(
      "%-6s %d thread%s  %s: %d rows, geomean %.2f%s, lowest %.2f%s at %s of "
      "%s\n",
      holds ? "holds" : "FAILS", threads, threads == 1 ? " " : "s", bar.what,
      values.size(), mean, FormatBar(bar.mean), least, FormatBar(bar.lowest),
      lowest->name, lowest->section);
}

}  // namespace

std::string FormatVerdicts(const std::vector<Row>& rows) {
  std::set<int> threads;
  for (const Row& row : rows) {
    threads.insert(row.threads);
  }
  std::string text;
  for (const int count : threads) {
    for (const Bar& bar : Bars()) {
      absl::StrAppend(&text, FormatVerdict(bar, count, rows));
    }
  }
  return text;
}

}  // namespace ns::bench
