#include "ir/torch_errors.h"

#include <c10/util/Exception.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace ns {
namespace {

// The interpreter wraps what an operator threw into a traceback whose last
// line is "RuntimeError: <message>".
constexpr absl::string_view kInterpreterPrefix = "RuntimeError: ";

// What LibTorch's dispatcher says behind "Could not run 'op' with arguments
// from the 'X' backend.": guesses, and a list of all other backends.
constexpr char kDispatcherGuesses[] = " This could be because ";

// "<condition> INTERNAL ASSERT FAILED at <place>, please report a bug to
// PyTorch. <message>": what an assertion of LibTorch says.
constexpr char kAssertion[] = " INTERNAL ASSERT FAILED at ";
constexpr char kReport[] = "please report a bug to PyTorch.";

// `line` without LibTorch's words for its developers, where it has them.
std::string WithoutAssertion(const std::string& line) {
  const size_t start = line.find(kAssertion);
  const size_t report = line.find(kReport);
  if (start == std::string::npos || report == std::string::npos ||
      report < start) {
    return line;
  }
  const absl::string_view message = absl::StripAsciiWhitespace(
      absl::string_view(line).substr(report + sizeof(kReport) - 1));
  return message.empty() ? absl::StrCat("a check of LibTorch failed: ",
                                        line.substr(0, start))
                         : std::string(message);
}

// `line` without addresses in memory, which are others in every run.
std::string WithoutAddresses(std::string line) {
  constexpr absl::string_view kHexDigits = "0123456789abcdefABCDEF";
  // Shorter numbers are opcodes and the like.
  constexpr size_t kLeastDigits = 7;
  for (size_t start = line.find("0x"); start != std::string::npos;
       start = line.find("0x", start + 1)) {
    const size_t end = std::min(
        line.find_first_not_of(kHexDigits.data(), start + 2), line.size());
    if (end - start - 2 >= kLeastDigits) {
      line.replace(start, end - start, "an address");
    }
  }
  return line;
}

std::string TextOf(const std::exception& error) {
  if (const auto* torch_error = dynamic_cast<const c10::Error*>(&error)) {
    return torch_error->what_without_backtrace();
  }
  return error.what();
}

}  // namespace

std::string OneLineMessage(const std::exception& error) {
  const std::string text = TextOf(error);
  std::string first;
  std::string thrown;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    line = absl::StripAsciiWhitespace(line);
    if (line.empty()) {
      continue;
    }
    if (absl::ConsumePrefix(&line, kInterpreterPrefix)) {
      thrown = std::string(line);
    }
    if (first.empty()) {
      first = std::string(line);
    }
  }
  const std::string& message = thrown.empty() ? first : thrown;
  return WithoutAddresses(
      WithoutAssertion(message.substr(0, message.find(kDispatcherGuesses))));
}

}  // namespace ns
