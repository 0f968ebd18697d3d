// Gives the script and the style of the HTML report.
#ifndef NS_REPORT_PAGE_PAGE_SOURCE_H_
#define NS_REPORT_PAGE_PAGE_SOURCE_H_

#include "absl/strings/string_view.h"

namespace ns {

// Returns the JavaScript of the page: the .js files of third_party, then those
// of parts, then page.js, unchanged. It does not contain "</script", so that it
// can be put into a <script> element.
absl::string_view PageScript();

// Returns the CSS of the page: the .css files of third_party, then page.css,
// unchanged. It does not contain "</style".
absl::string_view PageStyle();

}  // namespace ns

#endif  // NS_REPORT_PAGE_PAGE_SOURCE_H_
