// Writes limits as test cases, for services that show JUnit's XML.
#ifndef NS_REPORT_JUNIT_REPORT_H_
#define NS_REPORT_JUNIT_REPORT_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "ns/result/limit_check.h"

namespace ns {

// Returns `text` for an attribute or the text of an element in XML 1.0: markup
// and quotes become entities, control characters are escaped ("\x1b"), since
// most have no place in XML at all, and each byte that is not part of valid
// UTF-8, and U+FFFE and U+FFFF, become U+FFFD.
std::string EscapeXml(absl::string_view text);

// Returns an XML document with one suite called `suite` and a test case for
// each check: its class is the limit ("ns.fail-below"), its name what was
// checked ("lstm (c_n)", or the limit itself for the whole comparison). A check
// that did not pass has a failure with the reason as its message. `warnings`
// are the suite's system-err, one a line, and `properties` its properties, by
// name and value.
std::string ToJunit(
    absl::string_view suite, const std::vector<LimitCheck>& checks,
    const std::vector<std::string>& warnings = {},
    const std::vector<std::pair<std::string, std::string>>& properties = {});

}  // namespace ns

#endif  // NS_REPORT_JUNIT_REPORT_H_
