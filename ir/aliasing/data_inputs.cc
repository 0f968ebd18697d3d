#include "ir/aliasing/data_inputs.h"

#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>

#include "ir/aliasing/written_in_place.h"
#include "ir/graph/node_view.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;
namespace prim = ::c10::prim;

// A weight is computed by a few ops at most: data comes from longer chains.
constexpr int kMostOpsOfWeight = 4;

// Whether `reader` alone uses `value`: what it writes to that is what it gives.
bool IsReadBy(const Value& value, const Node* reader) {
  return value.uses().size() == 1 && value.uses()[0].user == reader;
}

// True for a constant, and for what at most `depth` ops compute from constants
// and no op writes to besides `reader`, through which the value was reached.
bool IsMadeOfConstants(const Value& value, int depth,
                       const Node* reader = nullptr) {
  const Node& node = *value.node();
  if (node.kind() == prim::Constant) {
    return true;
  }
  return depth > 0 && !node.inputs().empty() && node.blocks().empty() &&
         std::all_of(node.inputs().begin(), node.inputs().end(),
                     [&](const Value* input) {
                       return IsMadeOfConstants(*input, depth - 1, &node);
                     }) &&
         !node.isNondeterministic() &&
         (IsReadBy(value, reader) || !IsWrittenInPlace(value));
}

void AppendData(Value* value, std::vector<Value*>& out) {
  if (IsTensor(*value)) {
    if (!IsMadeOfConstants(*value, kMostOpsOfWeight)) {
      out.push_back(value);
    }
  } else if ((value->node()->kind() == prim::ListConstruct &&
              !IsWrittenTo(*value)) ||
             value->node()->kind() == prim::TupleConstruct) {
    for (Value* element : value->node()->inputs()) {
      AppendData(element, out);
    }
  } else if (IsTensorList(*value) && value->node()->kind() != prim::Constant) {
    out.push_back(value);
  }
}

}  // namespace

std::vector<Value*> DataInputs(const Node& node) {
  std::vector<Value*> inputs;
  for (const Value* input : node.inputs()) {
    AppendData(const_cast<Value*>(input), inputs);
  }
  return inputs;
}

Value* FirstDataInput(const Node& node) {
  for (const Value* const_input : node.inputs()) {
    auto* input = const_cast<Value*>(const_input);
    if (IsTensor(*input)) {
      if (!IsMadeOfConstants(*input, kMostOpsOfWeight)) {
        return input;
      }
      continue;
    }
    const std::vector<Value*> inputs = DataInputsOfArgument(*input);
    if (!inputs.empty()) {
      return inputs.front();
    }
  }
  return nullptr;
}

std::vector<Value*> DataInputsOfArgument(Value& input) {
  std::vector<Value*> inputs;
  AppendData(&input, inputs);
  return inputs;
}

}  // namespace ns
