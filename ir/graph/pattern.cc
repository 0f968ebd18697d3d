#include "ir/graph/pattern.h"

#include <torch/csrc/jit/ir/ir.h>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "ir/graph/node_view.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;

bool IsOneOf(const Node& node, absl::string_view ops) {
  const absl::string_view op = OpName(node);
  return absl::c_any_of(
      absl::StrSplit(ops, '|'), [&](absl::string_view candidate) {
        return op == candidate || absl::StripSuffix(op, "_") == candidate;
      });
}

ChainMatch Mismatch(std::string why) { return {{}, std::move(why)}; }

}  // namespace

ChainMatch MatchChain(Node* first, absl::Span<const absl::string_view> ops) {
  ChainMatch match;
  Node* node = first;
  for (size_t i = 0; i < ops.size(); ++i) {
    if (!IsOneOf(*node, ops[i])) {
      return Mismatch(absl::StrCat("found ", OpName(*node), " (",
                                   NodeName(*node), "), expected ", ops[i]));
    }
    match.nodes.push_back(node);
    if (i + 1 == ops.size()) {
      break;
    }
    if (node->outputs().empty()) {
      return Mismatch(absl::StrCat(OpName(*node), " has no output"));
    }
    const Value& output = *node->outputs()[0];
    Node* next = OnlyUser(output);
    if (next == nullptr) {
      return Mismatch(absl::StrCat(
          ValueName(output), " is used ", output.uses().size(),
          " times or outside its block; a chain needs one use in it"));
    }
    if (next->inputs()[0] != &output) {
      return Mismatch(absl::StrCat(
          ValueName(output), " is not the first input of ", OpName(*next)));
    }
    node = next;
  }
  return match;
}

}  // namespace ns
