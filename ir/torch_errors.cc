#include "ir/torch_errors.h"

#include <c10/util/Exception.h>

#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
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
  return message.substr(0, message.find(kDispatcherGuesses));
}

}  // namespace ns
