// Tells the inputs of an op that are data from those that are weights.
#ifndef IR_ALIASING_DATA_INPUTS_H_
#define IR_ALIASING_DATA_INPUTS_H_

#include <vector>

namespace torch::jit {
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// Returns the tensor inputs of `node`, elements of tensor lists among them, in
// order of appearance. Lists whose elements the graph does not tell are one
// value. Weights are left out: constant tensors, and what a few ops compute
// from constants alone (fake quantization), unless an op in place writes to it,
// as to a mask of zeros or a buffer that is filled.
std::vector<torch::jit::Value*> DataInputs(const torch::jit::Node& node);

// Returns the first of DataInputs, or null.
torch::jit::Value* FirstDataInput(const torch::jit::Node& node);

// Returns the part of DataInputs that comes from one input of a node.
std::vector<torch::jit::Value*> DataInputsOfArgument(torch::jit::Value& input);

}  // namespace ns

#endif  // IR_ALIASING_DATA_INPUTS_H_
