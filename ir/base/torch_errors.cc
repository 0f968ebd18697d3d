#include "ir/base/torch_errors.h"

#include <c10/util/Exception.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace ns {
namespace {

// What the interpreter puts in front of a traceback. Behind the traceback, and
// not indented as it is, comes "RuntimeError: <message>" for what an operator
// threw, and "builtins.ValueError: <message>" for what a model raised.
constexpr absl::string_view kInterpreter =
    "The following operation failed in the TorchScript interpreter.";

// Marks the place in the code, behind each excerpt of it.
constexpr absl::string_view kHere = "<--- HERE";

// Returns "<message>" for the first of these two forms, "ValueError: <message>"
// for the second, and "" for other lines.
std::string Thrown(absl::string_view line) {
  const size_t colon = line.find(": ");
  const absl::string_view type = line.substr(0, colon);
  const bool is_type = colon != absl::string_view::npos && !type.empty() &&
                       absl::c_all_of(type, [](char c) {
                         return absl::ascii_isalnum(c) || c == '_' || c == '.';
                       });
  if (!is_type) {
    return "";
  }
  const absl::string_view bare = type.substr(type.rfind('.') + 1);
  const absl::string_view message =
      absl::StripAsciiWhitespace(line.substr(colon + 2));
  return message.empty()          ? std::string(bare)
         : bare == "RuntimeError" ? std::string(message)
                                  : absl::StrCat(bare, ": ", message);
}

// What LibTorch's dispatcher says behind "Could not run 'op' with arguments
// from the 'X' backend.": guesses, and a list of all other backends.
constexpr char kDispatcherGuesses[] = " This could be because ";

// "<condition> INTERNAL ASSERT FAILED at <place>, please report a bug to
// PyTorch. <message>": what an assertion of LibTorch says.
constexpr char kAssertion[] = " INTERNAL ASSERT FAILED at ";
constexpr char kReport[] = "please report a bug to PyTorch.";

// Returns `line` without LibTorch's words for its developers, where it has
// them.
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

// Returns `line` without addresses in memory, which differ from run to run.
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
  // Before it, there is code of the model, which may have any text.
  const size_t end_of_code = text.rfind(std::string(kHere));
  std::string first;
  std::string thrown;
  size_t begin = 0;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    const bool is_code =
        end_of_code != std::string::npos && begin <= end_of_code;
    begin += line.size() + 1;
    // One interpreter may have been called by another.
    if (first == kInterpreter && !is_code &&
        (thrown.empty() || thrown == kInterpreter)) {
      thrown = Thrown(line);
    }
    if (first.empty()) {
      first = std::string(absl::StripAsciiWhitespace(line));
    }
  }
  const std::string& message = thrown.empty() ? first : thrown;
  return WithoutAddresses(
      WithoutAssertion(message.substr(0, message.find(kDispatcherGuesses))));
}

}  // namespace ns
