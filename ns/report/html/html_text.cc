#include "ns/report/html/html_text.h"

#include <array>
#include <cstdint>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/SHA256.h"
#include "ns/result/printable.h"

namespace ns {
namespace {

// Drops white space outside of strings.
std::string WithoutSpace(absl::string_view json) {
  std::string text;
  text.reserve(json.size());
  bool in_string = false;
  bool is_escaped = false;
  for (const char c : json) {
    if (in_string) {
      in_string = is_escaped || c != '"';
      is_escaped = !is_escaped && c == '\\';
    } else if (c == ' ' || c == '\n' || c == '\r' || c == '\t') {
      continue;
    } else {
      in_string = c == '"';
    }
    text.push_back(c);
  }
  return text;
}

}  // namespace

std::string HtmlText(absl::string_view text) {
  return absl::StrReplaceAll(Printable(text), {{"&", "&amp;"},
                                               {"<", "&lt;"},
                                               {">", "&gt;"},
                                               {"\"", "&quot;"},
                                               {"'", "&#39;"}});
}

std::string JsonForScript(absl::string_view json) {
  return absl::StrReplaceAll(WithoutSpace(json), {{"<", "\\u003c"},
                                                  {">", "\\u003e"},
                                                  {"&", "\\u0026"},
                                                  {"\xe2\x80\xa8", "\\u2028"},
                                                  {"\xe2\x80\xa9", "\\u2029"}});
}

std::string HashSource(absl::string_view content) {
  const std::array<uint8_t, 32> hash =
      llvm::SHA256::hash(llvm::ArrayRef<uint8_t>(
          reinterpret_cast<const uint8_t*>(content.data()), content.size()));
  return absl::StrCat(
      "'sha256-",
      absl::Base64Escape(absl::string_view(
          reinterpret_cast<const char*>(hash.data()), hash.size())),
      "'");
}

}  // namespace ns
