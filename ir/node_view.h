// Questions about nodes and values of a TorchScript graph.
#ifndef IR_NODE_VIEW_H_
#define IR_NODE_VIEW_H_

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

// "aten::conv2d"; of a leaf call, the module's type or the function's name,
// "my.package.Block".
absl::string_view OpName(const torch::jit::Node& node);

// "conv2d" for "aten::conv2d".
absl::string_view ShortOpName(absl::string_view op);

// The name a reader of the graph sees for `value`, without the ".1" that makes
// it unique; "%12" when it has none.
std::string ValueName(const torch::jit::Value& value);

// The name of the first output, as ValueName; the op name when there is none.
std::string NodeName(const torch::jit::Node& node);

bool IsTensor(const torch::jit::Value& value);

// True for the types of a prim::ListConstruct of tensors.
bool IsTensorList(const torch::jit::Value& value);

// True for a list that ops change after it is made: by append, extend, an
// assignment to an element.
bool IsWrittenTo(const torch::jit::Value& list);

// True when an op of `node`, or of the blocks in it, writes to its inputs:
// those whose schema says so, and quantized::relu6 unless its `inplace` is
// known to be false, which its schema hides.
bool WorksInPlace(const torch::jit::Node& node);

// The nodes that write to `container`, a list or dict, before `place` runs, in
// order: those of the block where it is made, with what stands in control flow
// inside them.
std::vector<torch::jit::Node*> WritersBefore(const torch::jit::Value& container,
                                             const torch::jit::Node& place);

// The first output that is a tensor, or null.
torch::jit::Value* TensorOutput(const torch::jit::Node& node);

// The input that the operator's schema calls `name`, or null.
torch::jit::Value* InputNamed(const torch::jit::Node& node,
                              absl::string_view name);

// The constant that `value` is, if it is one.
std::optional<c10::IValue> ConstantOf(const torch::jit::Value& value);

// The dtype that `node` always takes as its argument of that name, if it has
// one and it is constant.
std::optional<c10::ScalarType> ConstantDtype(const torch::jit::Node& node);

// The tensor inputs of `node`, elements of tensor lists among them, in order
// of appearance. Lists whose elements the graph does not tell come as one
// value. Weights are left out: constant tensors, and what a few ops make of
// constants alone (fake quantization).
std::vector<torch::jit::Value*> DataInputs(const torch::jit::Node& node);

// The first of DataInputs, or null.
torch::jit::Value* FirstDataInput(const torch::jit::Node& node);

// The part of DataInputs that one input of a node makes up.
std::vector<torch::jit::Value*> DataInputsOfArgument(torch::jit::Value& input);

// The node that uses `value`, when there is exactly one use, in the same
// block; null otherwise.
torch::jit::Node* OnlyUser(const torch::jit::Value& value);

// Position in an execution-order walk: true when `a` runs before `b`, inside
// control flow too.
bool RunsBefore(const torch::jit::Node& a, const torch::jit::Node& b);

}  // namespace ns

#endif  // IR_NODE_VIEW_H_
