#include "passes/lowering/fold/quantized_behind.h"

#include <torch/csrc/jit/ir/ir.h>

#include "ir/graph/node_view.h"

namespace ns {

using ::torch::jit::Node;
using ::torch::jit::Value;

Value* QuantizedBehind(const ValueFacts& facts, const Value& value) {
  const Node* node = value.node();
  const bool is_dequantized = node->kind() == c10::aten::dequantize &&
                              node->inputs().size() == 1 &&
                              IsTensor(*node->input(0)) && IsTensor(value);
  return is_dequantized && facts.Sure(*node->input(0)).qparams()
             ? const_cast<Value*>(node->input(0))
             : nullptr;
}

}  // namespace ns
