#include "tools/flags/byte_size.h"

#include <cmath>
#include <cstddef>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace ns {
namespace {

constexpr absl::string_view kPrefixes = "KMGT";

// Of "", "B", "k", "KB", "KiB", "M", ...; 0 of what is no unit.
double BytesOfUnit(absl::string_view unit) {
  if (unit.empty() || absl::EqualsIgnoreCase(unit, "B")) {
    return 1;
  }
  const size_t prefix = kPrefixes.find(absl::ascii_toupper(unit[0]));
  if (prefix == absl::string_view::npos) {
    return 0;
  }
  const double power = static_cast<double>(prefix) + 1;
  const absl::string_view rest = unit.substr(1);
  if (rest.empty() || absl::EqualsIgnoreCase(rest, "iB")) {
    return std::pow(1024, power);
  }
  return absl::EqualsIgnoreCase(rest, "B") ? std::pow(1000, power) : 0;
}

}  // namespace

absl::StatusOr<int64_t> ParseByteSize(absl::string_view text) {
  size_t digits = text.find_first_not_of("0123456789.");
  if (digits == absl::string_view::npos) {
    digits = text.size();
  }
  const double unit = BytesOfUnit(text.substr(digits));
  double number = 0;
  if (unit == 0 || !absl::SimpleAtod(text.substr(0, digits), &number)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "'", text,
        "' is no size; give a number of bytes, as 512, or with a unit, as 64K, "
        "200M or 1.5GiB"));
  }
  const double bytes = std::floor(number * unit);
  // The first double that does not fit.
  constexpr double kTooMany = 9223372036854775808.0;
  if (bytes >= kTooMany) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", text, "' is too large; the most is below 8 EiB"));
  }
  return static_cast<int64_t>(bytes);
}

}  // namespace ns
