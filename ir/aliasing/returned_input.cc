#include "ir/aliasing/returned_input.h"

#include <ATen/core/alias_info.h>
#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>

#include "ir/graph/node_view.h"

namespace ns {
namespace {

namespace aten = ::c10::aten;
using ::torch::jit::Node;
using ::torch::jit::Value;

// Whether the op of `node` makes new tensors, by its schema and in fact.
bool MakesNewTensors(const Node& node) {
  const c10::FunctionSchema* schema = node.maybeSchema();
  return schema != nullptr && node.blocks().empty() && !MayReturnInput(node) &&
         std::all_of(schema->returns().begin(), schema->returns().end(),
                     [](const c10::Argument& returned) {
                       return returned.alias_info() == nullptr;
                     });
}

// Whether `value` is a tensor that an op has made for its only user, maybe by
// way of ops in place: the result of aten::relu_(aten::neg(%x)).
bool IsForOneUser(const Value& value) {
  const Value* tensor = &value;
  while (tensor->uses().size() == 1) {
    const Node& node = *tensor->node();
    if (MakesNewTensors(node) && !WorksInPlace(node)) {
      return true;
    }
    if (!WorksInPlace(node) || node.inputs().empty()) {
      return false;
    }
    tensor = node.input(0);
  }
  return false;
}

}  // namespace

bool MayReturnInput(const Node& node) {
  switch (node.kind()) {
    case aten::alpha_dropout:
    case aten::atleast_1d:
    case aten::atleast_2d:
    case aten::atleast_3d:
    case aten::conj_physical:
    case aten::dropout:
    case aten::einsum:
    case aten::feature_alpha_dropout:
    case aten::feature_dropout:
    case aten::sum_to_size:
    case aten::type_as:
      return true;
    default:
      return false;
  }
}

bool MayShareReturnedInput(const Node& node) {
  return MayReturnInput(node) && !node.inputs().empty() &&
         IsTensor(*node.input(0)) && !IsForOneUser(*node.input(0));
}

}  // namespace ns
