// Returns texts of symbols as views that stay valid.
#ifndef IR_BASE_SYMBOL_TEXT_H_
#define IR_BASE_SYMBOL_TEXT_H_

#include <ATen/core/symbol.h>

#include "absl/strings/string_view.h"

namespace ns {

// Returns "aten::relu", a text that lives as long as the process. LibTorch's
// own does not: Symbol::toQualString points into a table that moves its short
// texts when it grows. Each symbol has one text. It may be called from any
// thread.
absl::string_view QualifiedText(c10::Symbol symbol);

// Returns the same text without its namespace: "relu".
absl::string_view UnqualifiedText(c10::Symbol symbol);

}  // namespace ns

#endif  // IR_BASE_SYMBOL_TEXT_H_
