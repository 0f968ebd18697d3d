#include "passes/quantization/observe/lost_parts.h"

#include <torch/csrc/jit/ir/ir.h>

#include "absl/algorithm/container.h"
#include "ir/graph/node_view.h"
#include "passes/ops/op_table.h"
#include "passes/quantization/layers/int8_form.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;

// Whether all operands of `node` but one are numbers or constants.
bool TakesOneComputedTensor(const Node& node) {
  return absl::c_count_if(node.inputs(), [](const Value* input) {
           return IsTensor(*input) && !ConstantOf(*input);
         }) == 1;
}

// Whether parts of an input that lie side by side do so in the outputs, with
// ranges that differ as much. The sum with another activation, such as a
// residual, has ranges of its own.
bool KeepsParts(const Node& node) {
  static constexpr absl::string_view kArithmetic[] = {"add", "div", "mul",
                                                      "sub"};
  if (node.kind() == c10::prim::ListConstruct ||
      node.kind() == c10::prim::ListUnpack ||
      node.kind() == c10::aten::__getitem__ || MovesValues(node)) {
    return true;
  }
  const OpRow* row = FindOp(OpName(node));
  return row != nullptr && (row->family == "cat" || row->family == "stack" ||
                            (absl::c_linear_search(kArithmetic, row->family) &&
                             TakesOneComputedTensor(node)) ||
                            row->spelling->fold == FoldForm::kSameOpExactly ||
                            row->spelling->fold == FoldForm::kSameOpRounding);
}

}  // namespace

void LostParts::Add(const Value& value, absl::string_view name) {
  names_.try_emplace(&value, name);
}

void LostParts::Follow(const Node& node) {
  if (names_.empty()) {
    return;
  }
  if (node.kind() == c10::prim::If || node.kind() == c10::prim::Loop) {
    // The first output of the block of a loop is its condition.
    const size_t skipped = node.kind() == c10::prim::Loop ? 1 : 0;
    for (const torch::jit::Block* block : node.blocks()) {
      for (size_t i = 0; i < node.outputs().size(); ++i) {
        Carry(*block->outputs()[i + skipped], *node.output(i));
      }
    }
    return;
  }
  if (!KeepsParts(node)) {
    return;
  }
  for (const Value* input : node.inputs()) {
    for (const Value* output : node.outputs()) {
      Carry(*input, *output);
    }
  }
}

void LostParts::EnterLoop(const Node& loop) {
  // Inputs are the trip count, the condition, and what is carried; parameters
  // of the block the trip and what is carried.
  for (size_t i = 2; i < loop.inputs().size(); ++i) {
    Carry(*loop.input(i), *loop.blocks()[0]->inputs()[i - 1]);
  }
}

absl::string_view LostParts::In(const Value& value) const {
  const auto found = names_.find(&value);
  return found == names_.end() ? absl::string_view() : found->second;
}

void LostParts::Carry(const Value& from, const Value& to) {
  const std::string name(In(from));
  if (!name.empty()) {
    Add(to, name);
  }
}

}  // namespace ns
