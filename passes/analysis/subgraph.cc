#include "passes/analysis/subgraph.h"

#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "ir/aliasing/data_inputs.h"
#include "ir/graph/control_flow.h"
#include "ir/graph/graph_walk.h"
#include "ir/graph/node_view.h"
#include "llvm/ADT/SetVector.h"
#include "passes/ops/op_table.h"

namespace ns {

using ::torch::jit::Block;
using ::torch::jit::Node;
using ::torch::jit::Value;

namespace {

using Values = llvm::SetVector<Value*>;

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

bool AreOfOneFamily(const Node& a, const Node& b) {
  const absl::string_view op_a = OpName(a);
  const absl::string_view op_b = OpName(b);
  if (op_a == op_b) {
    return true;
  }
  const OpRow* row_a = FindOp(op_a);
  const OpRow* row_b = FindOp(op_b);
  return row_a != nullptr && row_b != nullptr && row_a->family == row_b->family;
}

// Goes back from `value` through ops inside `owner` that only reshape, and
// through control flow that does, to a value from outside; it stays inside
// where an op makes it of no data. Of a choice between values it follows the
// first, and adds the other to `others`.
Value* FollowOut(Value* value, const Node& owner, Values& others) {
  while (IsInside(*value->node(), owner)) {
    Node& node = *value->node();
    if (node.kind() == c10::prim::If) {
      others.insert(node.blocks()[1]->outputs()[value->offset()]);
      value = node.blocks()[0]->outputs()[value->offset()];
      continue;
    }
    const std::vector<Value*> inner = DataInputs(node);
    if (inner.empty()) {
      break;
    }
    value = inner.front();
  }
  return value;
}

// Returns what an op dequantizes to `value`, or `value`.
const Value* BelowDequantize(const Value& value) {
  const Node& node = *value.node();
  return node.kind() == c10::aten::dequantize && IsTensor(*node.input(0))
             ? node.input(0)
             : &value;
}

}  // namespace

std::vector<Value*> DataInputsOf(const Subgraph& subgraph) {
  const Node& start = *subgraph.start;
  if (start.blocks().empty() || subgraph.base == subgraph.start) {
    return DataInputs(start);
  }
  // What else the base op may take: values of choices inside of its arm, and of
  // the ops in the other arms.
  Values others;
  std::vector<Value*> inputs = DataInputs(*subgraph.base);
  for (Value*& input : inputs) {
    input = FollowOut(input, start, others);
  }
  for (const Block* arm : start.blocks()) {
    ForEachNode(arm, [&](const Node* node) {
      if (node != subgraph.base && AreOfOneFamily(*node, *subgraph.base)) {
        for (Value* input : DataInputs(*node)) {
          others.insert(input);
        }
      }
    });
  }
  for (size_t i = 0; i < others.size(); ++i) {
    Value* other = FollowOut(others[i], start, others);
    const Value* origin = BelowDequantize(*other);
    if (!IsInside(*other->node(), start) &&
        absl::c_none_of(inputs, [&](const Value* input) {
          return BelowDequantize(*input) == origin;
        })) {
      inputs.push_back(other);
    }
  }
  return inputs;
}

std::string OpOf(const Subgraph& subgraph) {
  const absl::string_view op = OpName(*subgraph.base);
  absl::string_view common = op;
  for (const Block* arm : subgraph.start->blocks()) {
    ForEachNode(arm, [&](const Node* node) {
      const absl::string_view other = OpName(*node);
      if (other != op && AreOfOneFamily(*node, *subgraph.base)) {
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
