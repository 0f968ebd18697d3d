// Matches chains of ops in a graph, and says why one does not match.
#ifndef IR_GRAPH_PATTERN_H_
#define IR_GRAPH_PATTERN_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace torch::jit {
struct Node;
}  // namespace torch::jit

namespace ns {

struct ChainMatch {
  // The nodes of the chain in order; empty when there is no match.
  std::vector<torch::jit::Node*> nodes;
  // Why there is no match, for people.
  std::string mismatch;

  explicit operator bool() const { return !nodes.empty(); }
};

// Matches the chain of `ops`, one or more, that starts at `first`, which has to
// be the first of them: the first output of each node but the last is used
// once, by the next node as its first input, in the same block. An element of
// `ops` is the name of an op, or several with '|' between them; in-place forms
// match without being named.
//
//   MatchChain(conv, {"aten::conv2d", "aten::batch_norm",
//                     "aten::relu|aten::hardtanh"})
ChainMatch MatchChain(torch::jit::Node* first,
                      absl::Span<const absl::string_view> ops);

}  // namespace ns

#endif  // IR_GRAPH_PATTERN_H_
