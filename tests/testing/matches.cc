#include "tests/testing/matches.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/graph/node_view.h"

namespace ns {
namespace {

std::string Ops(const MatchedSide& side) {
  if (side.subgraph.nodes.empty()) {
    return ValueName(*side.output);
  }
  std::string ops;
  for (const torch::jit::Node* node : side.subgraph.nodes) {
    absl::StrAppend(&ops, ops.empty() ? "" : " ", ShortOpName(OpName(*node)));
  }
  return ops;
}

}  // namespace

std::vector<std::string> MatchNames(const MatchResult& result) {
  std::vector<std::string> names;
  for (const SubgraphMatch& match : result.matches) {
    names.push_back(match.name);
  }
  return names;
}

std::vector<std::string> MatchLines(const MatchResult& result) {
  std::vector<std::string> lines;
  for (const SubgraphMatch& match : result.matches) {
    lines.push_back(
        absl::StrCat(match.name, ": ", Ops(match.a), " = ", Ops(match.b)));
  }
  return lines;
}

std::vector<std::string> UnmatchedLines(const std::vector<UnmatchedOp>& ops) {
  std::vector<std::string> lines;
  for (const UnmatchedOp& op : ops) {
    lines.push_back(absl::StrCat(OpName(*op.node), ": ", op.reason));
  }
  return lines;
}

}  // namespace ns
