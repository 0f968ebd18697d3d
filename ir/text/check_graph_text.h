// Checks IR text for errors that LibTorch's parser accepts silently.
#ifndef IR_TEXT_CHECK_GRAPH_TEXT_H_
#define IR_TEXT_CHECK_GRAPH_TEXT_H_

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "ir/text/code_tokens.h"

namespace ns {

// Checks the tokens of one graph. LibTorch's parser stops after the first
// `return`, and lets a second definition of a value replace the first. Error,
// a phrase: text after the graph, or a value that is defined again where it is
// visible; two blocks of one node may use the same name. Other malformed text
// is left to the parser.
absl::Status CheckGraphText(absl::Span<const CodeToken> tokens);

}  // namespace ns

#endif  // IR_TEXT_CHECK_GRAPH_TEXT_H_
