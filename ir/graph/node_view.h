// Answers common questions about nodes and values of a TorchScript graph.
#ifndef IR_GRAPH_NODE_VIEW_H_
#define IR_GRAPH_NODE_VIEW_H_

#include <ATen/core/ivalue.h>
#include <torch/csrc/jit/ir/ir.h>

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace ns {

// True for a call of a module, or of a script function, that was not inlined
// (see inline_modules.h): it is an op by itself.
bool IsLeafCall(const torch::jit::Node& node);

// Returns "aten::conv2d"; for a leaf call, the module's type or the function's
// name, "my.package.Block".
absl::string_view OpName(const torch::jit::Node& node);

// Returns "conv2d" for "aten::conv2d".
absl::string_view ShortOpName(absl::string_view op);

// Returns the name that a reader of the graph sees for `value`, without the
// ".1" that makes it unique, or "%12" when it has none.
std::string ValueName(const torch::jit::Value& value);

// Returns the ValueName of the first output, or the op name when there is none.
std::string NodeName(const torch::jit::Node& node);

// Returns the CallName (module_path.h) of the module that `node` came from, or
// its short op where none is recorded: "layer1.conv", "conv2d".
std::string LayerName(const torch::jit::Node& node);

bool IsTensor(const torch::jit::Value& value);

// True for a list of tensors, the type that prim::ListConstruct gives.
bool IsTensorList(const torch::jit::Value& value);

// True for a list that ops change after it is made: by append, extend, or an
// assignment to an element.
bool IsWrittenTo(const torch::jit::Value& list);

// True when `node`, or an op in its blocks, writes to its inputs: ops whose
// schema says so, and quantized::relu6, whose schema hides it, unless its
// `inplace` is known to be false.
bool WorksInPlace(const torch::jit::Node& node);

// Returns the nodes that write to `container`, a list or dict, before `place`
// runs, in order. All are in the block where it is made: a prim::If or
// prim::Loop stands for the writers in its blocks. Where `place` is in control
// flow itself, writers in the same control flow are not found.
std::vector<torch::jit::Node*> WritersBefore(const torch::jit::Value& container,
                                             const torch::jit::Node& place);

// Returns the first output that is a tensor, or null.
torch::jit::Value* TensorOutput(const torch::jit::Node& node);

// Returns the input that the operator's schema calls `name`, or null.
torch::jit::Value* InputNamed(const torch::jit::Node& node,
                              absl::string_view name);

// Returns the constant that `value` is, or none where it is not constant.
std::optional<c10::IValue> ConstantOf(const torch::jit::Value& value);

// Returns the number that `value`, an operand of arithmetic, always is: a
// constant int or float, or the constant tensor without dimensions that tracing
// makes of one.
std::optional<double> NumberOf(const torch::jit::Value& value);

// Returns the dtype that `node` always takes as its argument `name`; none where
// it has no such argument or where that is not constant.
std::optional<c10::ScalarType> ConstantDtype(const torch::jit::Node& node);

// Returns the node that uses `value` when there is exactly one use, and that in
// the same block; null otherwise, and when that use is the block's return.
torch::jit::Node* OnlyUser(const torch::jit::Value& value);

// Returns the node in front of which `value` can be used first.
torch::jit::Node* PlaceAfter(const torch::jit::Value& value);

// True when `a` runs before `b` in execution order, inside control flow too.
bool RunsBefore(const torch::jit::Node& a, const torch::jit::Node& b);

}  // namespace ns

#endif  // IR_GRAPH_NODE_VIEW_H_
