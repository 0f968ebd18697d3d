// Prints what MatchSubgraphs found as text, for tests.
#ifndef TESTS_TESTING_MATCHES_H_
#define TESTS_TESTING_MATCHES_H_

#include <string>
#include <vector>

#include "passes/matching/graph_matcher.h"

namespace ns {

// Returns the names of the matches, in order.
std::vector<std::string> MatchNames(const MatchResult& result);

// Returns one line a match: "conv1: conv2d batch_norm relu = conv2d_relu", with
// the nodes of A's subgraph, then B's; "x" stands for an input of the graph.
std::vector<std::string> MatchLines(const MatchResult& result);

// Returns one line an op: "aten::conv2d: <reason>".
std::vector<std::string> UnmatchedLines(const std::vector<UnmatchedOp>& ops);

}  // namespace ns

#endif  // TESTS_TESTING_MATCHES_H_
