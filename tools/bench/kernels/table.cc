#include "tools/bench/kernels/table.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/bench/kernels/averages.h"

namespace ns::bench {
namespace {

constexpr int kNameWidth = 27;

std::string Percent(const std::optional<double>& part) {
  return part.has_value() ? absl::StrFormat("%7.1f", *part * 100)
                          : absl::StrFormat("%7s", "-");
}

std::string Ratio(const std::optional<double>& ratio) {
  return ratio.has_value() ? absl::StrFormat("%9.2f", *ratio)
                           : absl::StrFormat("%9s", "-");
}

std::vector<double> RatiosTo(size_t peer, const std::vector<Row>& rows) {
  std::vector<double> ratios;
  for (const Row& row : rows) {
    if (row.peers[peer].has_value()) {
      ratios.push_back(row.peers[peer]->ratio);
    }
  }
  return ratios;
}

// A line with something of the ratios to each peer.
template <typename Function>
std::string RatioLine(const char* name, const std::vector<Row>& rows,
                      const Function& of) {
  std::string line = absl::StrFormat("%-*s%41s", kNameWidth, name, "");
  for (size_t peer = 0; peer < kPeers; ++peer) {
    const std::vector<double> ratios = RatiosTo(peer, rows);
    absl::StrAppend(&line,
                    Ratio(ratios.empty() ? std::nullopt
                                         : std::optional<double>(of(ratios))));
  }
  return line + "\n";
}

// The sums over a model's layers. A peer that lacks one has none.
std::string TotalLine(const std::vector<Row>& rows) {
  double ours = 0;
  double work = 0;
  std::array<double, kPeers> peers = {};
  std::array<bool, kPeers> complete;
  complete.fill(true);
  for (const Row& row : rows) {
    const double count = static_cast<double>(row.count);
    ours += count * row.seconds;
    work += count * row.seconds * row.rate;
    for (size_t peer = 0; peer < kPeers; ++peer) {
      complete[peer] = complete[peer] && row.peers[peer].has_value();
      peers[peer] +=
          row.peers[peer].has_value() ? count * row.peers[peer]->seconds : 0;
    }
  }
  std::string line =
      absl::StrFormat("%-*s%5s %10.1f %9.1f%15s", kNameWidth, "all layers", "",
                      ours * 1e6, work / ours * 1e-9, "");
  for (size_t peer = 0; peer < kPeers; ++peer) {
    absl::StrAppend(
        &line, Ratio(complete[peer] ? std::optional<double>(peers[peer] / ours)
                                    : std::nullopt));
  }
  return line + "\n";
}

}  // namespace

std::string FormatHeader(const std::string& title, const std::string& unit) {
  return absl::StrFormat("\n%s\n%-*s%5s %10s %9s %7s%7s%9s%9s%9s\n", title,
                         kNameWidth, "", "count", "us", unit, "% peak",
                         "% roof", "oneDNN", "torch", "qnnpack");
}

std::string FormatRow(const Row& row) {
  std::string line = absl::StrFormat(
      "%-*s%5s %10.1f %9.1f %s%s", kNameWidth, row.name,
      row.count == 1 ? "" : absl::StrCat(row.count), row.seconds * 1e6,
      row.rate * 1e-9, Percent(row.of_peak), Percent(row.of_roofline));
  for (const std::optional<PeerTime>& peer : row.peers) {
    absl::StrAppend(&line,
                    Ratio(peer.has_value() ? std::optional<double>(peer->ratio)
                                           : std::nullopt));
  }
  if (!row.choice.empty()) {
    absl::StrAppend(&line, "  ", row.choice);
  }
  line += "\n";
  if (!row.mismatch.empty()) {
    absl::StrAppend(&line, "MISMATCH ", row.name, ": ", row.mismatch, "\n");
  }
  return line;
}

std::string FormatSummary(const std::vector<Row>& rows) {
  if (rows.empty()) {
    return "";
  }
  std::string text = RatioLine("geometric mean", rows, GeometricMean);
  text += RatioLine("lowest", rows, [](const std::vector<double>& ratios) {
    return *std::min_element(ratios.begin(), ratios.end());
  });
  const bool is_model = std::any_of(
      rows.begin(), rows.end(), [](const Row& row) { return row.count > 1; });
  return is_model ? text + TotalLine(rows) : text;
}

}  // namespace ns::bench
