// Texts of symbols that stay where they are.
#ifndef IR_SYMBOL_TEXT_H_
#define IR_SYMBOL_TEXT_H_

#include <ATen/core/symbol.h>

#include "absl/strings/string_view.h"

namespace ns {

// "aten::relu". Lives as long as the process, as LibTorch's own text of a
// symbol does not: Symbol::toQualString points into a table that moves its
// short texts when it grows. One text for each symbol; any thread may ask.
absl::string_view QualifiedText(c10::Symbol symbol);

// The same text without its namespace: "relu".
absl::string_view UnqualifiedText(c10::Symbol symbol);

}  // namespace ns

#endif  // IR_SYMBOL_TEXT_H_
