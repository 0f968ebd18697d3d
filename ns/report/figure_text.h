// How tables show a figure in dB.
#ifndef NS_REPORT_FIGURE_TEXT_H_
#define NS_REPORT_FIGURE_TEXT_H_

#include <cstddef>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace ns {

inline constexpr absl::string_view kBold = "\x1b[1m";

// Bars of 0 to 60 dB have these lengths in cells: every 20 dB start a cell,
// below its number in the heading.
inline constexpr size_t kWideBar = 24;
inline constexpr size_t kNarrowBar = 12;

// nan is lower than any number.
bool IsLowerDb(double a, double b);

// "30.1", "exact" for +inf, "-" for none.
std::string FormatDb(std::optional<double> db);

// Red below 10 dB and for nan, yellow below 20 dB; else empty, as for none.
absl::string_view DbColor(std::optional<double> db);

std::string Bar(std::optional<double> db, size_t cells);

// The heading of a bar of kWideBar or kNarrowBar cells.
absl::string_view BarScale(size_t cells);

}  // namespace ns

#endif  // NS_REPORT_FIGURE_TEXT_H_
