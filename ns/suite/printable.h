// Makes text from models, such as names of modules, safe for terminals and
// spreadsheets.
#ifndef NS_SUITE_PRINTABLE_H_
#define NS_SUITE_PRINTABLE_H_

#include <string>

#include "absl/strings/string_view.h"

namespace ns {

// Returns `text` with an escape for each C0 or C1 control character and DEL:
// "\x1b",
// "\x9b". A model must not drive the terminal, and names that differ in such a
// character alone must not look alike.
std::string Printable(absl::string_view text);

}  // namespace ns

#endif  // NS_SUITE_PRINTABLE_H_
