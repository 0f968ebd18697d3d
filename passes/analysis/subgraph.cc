#include "passes/analysis/subgraph.h"

#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "ir/control_flow.h"
#include "ir/data_inputs.h"
#include "ir/graph_walk.h"
#include "ir/node_view.h"
#include "passes/ops/op_table.h"

namespace ns {

using ::torch::jit::Node;
using ::torch::jit::Value;

namespace {

// Returns what `a` and `b` begin with, up to the end of a word of `a`:
// "upsample_" of "upsample_bilinear2d" and "upsample_bicubic2d".
absl::string_view CommonWords(absl::string_view a, absl::string_view b) {
  size_t size =
      std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin();
  const auto ends_in_word = [&] {
    return (size < a.size() && absl::ascii_isalpha(a[size])) ||
           (size < b.size() && absl::ascii_isalpha(b[size]));
  };
  while (size > 0 && absl::ascii_isalpha(a[size - 1]) && ends_in_word()) {
    --size;
  }
  return a.substr(0, size);
}

}  // namespace

std::vector<Value*> DataInputsOf(const Subgraph& subgraph) {
  if (subgraph.start->blocks().empty()) {
    return DataInputs(*subgraph.start);
  }
  // The base op is in an arm: go back through ops that only reshape, and
  // through control flow that does, until the value is one from outside.
  std::vector<Value*> inputs = DataInputs(*subgraph.base);
  for (Value*& input : inputs) {
    while (IsInside(*input->node(), *subgraph.start)) {
      if (input->node()->kind() == c10::prim::If) {
        input = input->node()->blocks()[0]->outputs()[input->offset()];
        continue;
      }
      const std::vector<Value*> inner = DataInputs(*input->node());
      if (inner.empty()) {
        break;
      }
      input = inner.front();
    }
  }
  return inputs;
}

std::string OpOf(const Subgraph& subgraph) {
  const absl::string_view op = OpName(*subgraph.base);
  const OpRow* row = FindOp(op);
  if (row == nullptr) {
    return std::string(op);
  }
  absl::string_view common = op;
  for (const torch::jit::Block* arm : subgraph.start->blocks()) {
    ForEachNode(arm, [&](const Node* node) {
      const absl::string_view other = OpName(*node);
      const OpRow* other_row = FindOp(other);
      if (other != op && other_row != nullptr &&
          other_row->family == row->family) {
        common = CommonWords(common, other);
      }
    });
  }
  while (absl::EndsWith(common, "_") && common != op) {
    common.remove_suffix(1);
  }
  return std::string(common.empty() || absl::EndsWith(common, ":") ? op
                                                                   : common);
}

}  // namespace ns
