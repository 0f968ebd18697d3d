// Quotes text for a shell.
#ifndef NS_RESULT_SHELL_WORD_H_
#define NS_RESULT_SHELL_WORD_H_

#include <string>

#include "absl/strings/string_view.h"

namespace ns {

// Returns `path` as one word for a shell, which names the same file and is no
// option. Where it contains bytes that would not be printed as they are (see
// Printable), the word is for shells with $'...', such as bash and zsh.
std::string ShellWord(absl::string_view path);

}  // namespace ns

#endif  // NS_RESULT_SHELL_WORD_H_
