// Makes text from models, such as names of modules, safe to print.
#ifndef NS_RESULT_PRINTABLE_H_
#define NS_RESULT_PRINTABLE_H_

#include <string>

#include "absl/strings/string_view.h"

namespace ns {

// Returns `text`, which is UTF-8, with an escape such as "\x0a" or "\x9b" in
// the place of each C0 or C1 control character and DEL: a model must not drive
// the terminal. Other bytes stay. Backslashes do, too, so that the result does
// not tell an escape from a text that already has these characters.
std::string Printable(absl::string_view text);

}  // namespace ns

#endif  // NS_RESULT_PRINTABLE_H_
