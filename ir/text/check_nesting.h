// Refuses code that LibTorch's recursive parsers cannot follow.
#ifndef IR_TEXT_CHECK_NESTING_H_
#define IR_TEXT_CHECK_NESTING_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "ir/text/code_tokens.h"

namespace ns {

// Checks how deep the code of `tokens`, TorchScript or IR text, nests: blocks,
// chains of `elif`, brackets, and operators in one expression. LibTorch's
// parsers and compiler call themselves for each level and check no depth, so
// that deep code overflows the stack. Error: a phrase such as "nests more than
// 1000 deep".
absl::Status CheckNesting(absl::Span<const CodeToken> tokens);

}  // namespace ns

#endif  // IR_TEXT_CHECK_NESTING_H_
