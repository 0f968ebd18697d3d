// Escapes text for HTML documents, so that it stays text.
#ifndef NS_REPORT_HTML_HTML_TEXT_H_
#define NS_REPORT_HTML_HTML_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"

namespace ns {

// Returns `text` for an element or a quoted attribute, with <, >, &, " and ' as
// entities. Control characters, among them line breaks, are escaped as
// Printable does (ns/result/printable.h): names that differ must not look
// alike.
std::string HtmlText(absl::string_view text);

// Returns `json`, which is valid, for an element <script
// type="application/json">: without the white space between values, and with <,
// >, &, U+2028 and U+2029, which only strings can have, as \u escapes.
std::string JsonForScript(absl::string_view json);

// Returns 'sha256-...' for a content security policy: the hash of the content
// of an inline script or style.
std::string HashSource(absl::string_view content);

}  // namespace ns

#endif  // NS_REPORT_HTML_HTML_TEXT_H_
