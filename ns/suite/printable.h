// Makes text from models, such as names of modules, safe for terminals and
// spreadsheets.
#ifndef NS_SUITE_PRINTABLE_H_
#define NS_SUITE_PRINTABLE_H_

#include <string>

#include "absl/strings/string_view.h"

namespace ns {

// Returns `text`, in UTF-8, with "\x1b", "\x9b" and the like for each C0 or C1
// control character and DEL: a model must not drive the terminal. Other bytes
// stay, so that a text that has such an escape looks the same.
std::string Printable(absl::string_view text);

}  // namespace ns

#endif  // NS_SUITE_PRINTABLE_H_
