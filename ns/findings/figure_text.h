// Formats figures for tables: those in dB as text, colour and bar.
#ifndef NS_FINDINGS_FIGURE_TEXT_H_
#define NS_FINDINGS_FIGURE_TEXT_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace ns {

inline constexpr absl::string_view kBold = "\x1b[1m";

// Bars of 0 to 60 dB have these lengths in cells. Every 20 dB start a cell,
// below their number in the heading.
inline constexpr size_t kWideBar = 24;
inline constexpr size_t kNarrowBar = 12;

// Compares figures in dB, where nan is lower than any number.
bool IsLowerDb(double a, double b);

// Returns "30.1"; "exact" for +inf, "-inf", "nan", and "-" for none.
std::string FormatDb(std::optional<double> db);

// Returns the same with the unit behind it, "30.1 dB", except for "exact".
std::string DbWithUnit(std::optional<double> db);

// Returns "12.1 -> 33.4 dB (+21.3)", without the difference where that is no
// finite number.
std::string GainText(double before_db, double after_db);

// Returns four digits of a figure in any unit: "0.01235"; "nan" for nan, which
// printf gives a sign where it has one.
std::string FormatFigure(double value);

// Returns the escape sequence of red below 10 dB and for nan, that of yellow
// below 20 dB, and "" otherwise and for none.
absl::string_view DbColor(std::optional<double> db);

// Returns a bar of block characters in UTF-8, which is `cells` long from 60 dB
// on and in proportion below, in eighths of a cell. It is not padded; it is
// empty for none, nan, and 0 dB or less.
std::string Bar(std::optional<double> db, size_t cells);

// Returns a character for each SQNR, a block that is the higher the more dB
// there are, full from 40 dB on: "▇▇▂▇". "·" stands for nan.
std::string Strip(const std::vector<double>& strip_db);

// Returns the heading of a bar of kWideBar or kNarrowBar cells.
absl::string_view BarScale(size_t cells);

}  // namespace ns

#endif  // NS_FINDINGS_FIGURE_TEXT_H_
