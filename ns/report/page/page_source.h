// Gives the script and the style of the HTML report.
#ifndef NS_REPORT_PAGE_PAGE_SOURCE_H_
#define NS_REPORT_PAGE_PAGE_SOURCE_H_

#include "absl/strings/string_view.h"

namespace ns {

// Returns the JavaScript of the page: the files of third_party, then parts and
// page.js of this folder, as they are. There is no "</script" in it.
absl::string_view PageScript();

// Returns its CSS likewise. There is no "</style" in it.
absl::string_view PageStyle();

}  // namespace ns

#endif  // NS_REPORT_PAGE_PAGE_SOURCE_H_
