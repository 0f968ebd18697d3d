#include "passes/matching/matches/copied_matches.h"

#include <vector>

#include "ir/graph/graph_copy.h"

namespace ns {
namespace {

// These move pointers into a graph to its copy.
template <typename Part>
void Move(const GraphCopy& copy, Part*& part) {
  part = copy.Of(part);
}

void Move(const GraphCopy& copy, MatchedSide& side) {
  Move(copy, side.subgraph.start);
  Move(copy, side.subgraph.end);
  Move(copy, side.subgraph.base);
  for (torch::jit::Node*& node : side.subgraph.nodes) {
    Move(copy, node);
  }
  Move(copy, side.output);
  Move(copy, side.compared_in);
}

void Move(const GraphCopy& copy, std::vector<UnmatchedOp>& ops) {
  for (UnmatchedOp& op : ops) {
    Move(copy, op.node);
  }
}

}  // namespace

MatchResult MatchesOfCopies(const MatchResult& matches, const ModelGraph& a,
                            const ModelGraph& copy_a, const ModelGraph& b,
                            const ModelGraph& copy_b) {
  const GraphCopy in_a(a.graph(), copy_a.graph());
  const GraphCopy in_b(b.graph(), copy_b.graph());
  MatchResult copied = matches;
  for (SubgraphMatch& match : copied.matches) {
    Move(in_a, match.a);
    Move(in_b, match.b);
  }
  Move(in_a, copied.unmatched_a);
  Move(in_b, copied.unmatched_b);
  return copied;
}

}  // namespace ns
