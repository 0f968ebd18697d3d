#include "ns/findings/figure_text.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace ns {
namespace {

constexpr double kRedDb = 10;
constexpr double kYellowDb = 20;
constexpr double kFullBarDb = 60;
constexpr absl::string_view kWideScale = "0       20      40      60";
constexpr absl::string_view kNarrowScale = "0   20  40  60";
constexpr absl::string_view kRed = "\x1b[31m";
constexpr absl::string_view kYellow = "\x1b[33m";

}  // namespace

bool IsLowerDb(double a, double b) {
  return std::isnan(a) ? !std::isnan(b) : a < b;
}

std::string FormatDb(std::optional<double> db) {
  if (!db.has_value()) {
    return "-";
  }
  return *db == INFINITY   ? "exact"
         : std::isnan(*db) ? "nan"
                           : absl::StrFormat("%.1f", *db);
}

std::string DbWithUnit(std::optional<double> db) {
  return db == INFINITY ? FormatDb(db) : FormatDb(db) + " dB";
}

std::string GainText(double before_db, double after_db) {
  const double gain = after_db - before_db;
  return absl::StrCat(
      FormatDb(before_db), " -> ", DbWithUnit(after_db),
      std::isfinite(gain) ? absl::StrFormat(" (%+.1f)", gain) : "");
}

std::string FormatFigure(double value) {
  return std::isnan(value) ? "nan" : absl::StrFormat("%.4g", value);
}

absl::string_view DbColor(std::optional<double> db) {
  if (!db.has_value() || *db >= kYellowDb) {
    return "";
  }
  return *db >= kRedDb ? kYellow : kRed;  // nan is red.
}

std::string Bar(std::optional<double> db, size_t cells) {
  constexpr absl::string_view kEighths[] = {"",  "▏", "▎", "▍",
                                            "▌", "▋", "▊", "▉"};
  std::string bar;
  if (db.has_value() && *db > 0) {
    const double part = std::min(*db / kFullBarDb, 1.0);
    const auto eighths = static_cast<size_t>(std::lround(part * cells * 8));
    for (size_t i = 0; i < eighths / 8; ++i) {
      bar += "█";
    }
    absl::StrAppend(&bar, kEighths[eighths % 8]);
  }
  return bar;
}

std::string Strip(const std::vector<double>& strip_db) {
  constexpr absl::string_view kBlocks[] = {"▁", "▂", "▃", "▄",
                                           "▅", "▆", "▇", "█"};
  constexpr double kFullDb = 40;
  std::string strip;
  for (const double db : strip_db) {
    if (std::isnan(db)) {
      strip += "·";
      continue;
    }
    const double part = std::clamp(db / kFullDb, 0.0, 1.0);
    absl::StrAppend(&strip, kBlocks[std::lround(part * 7)]);
  }
  return strip;
}

absl::string_view BarScale(size_t cells) {
  return cells == kWideBar ? kWideScale : kNarrowScale;
}

}  // namespace ns
