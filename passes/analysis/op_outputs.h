// The tensors that an op gives: an LSTM gives three, a module as many as the
// tuple that it returns holds.
#ifndef PASSES_ANALYSIS_OP_OUTPUTS_H_
#define PASSES_ANALYSIS_OP_OUTPUTS_H_

#include <cstddef>
#include <string>
#include <vector>

namespace c10 {
struct Type;
}  // namespace c10

namespace torch::jit {
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// How many tensors a value of `type` is known to hold: one where it is a
// tensor, those of all elements of a tuple, and of a list, whose length only a
// run tells, those of its first element; 0 for anything else.
size_t CountTensors(const c10::Type& type);

// A tensor among those that an op gives.
struct OutputTensor {
  // The op's output that is it, or holds it.
  torch::jit::Value* value = nullptr;
  // Which of the tensors in `value` it is, counted from 0 in the order of
  // CountTensors. TensorIn (passes/rewrite/tensor_in.h) takes it out.
  size_t place = 0;
};

// All tensors that `node` gives, in order:
//
//   %y : Tensor, %h : Tensor, %c : Tensor = aten::lstm(...)
//   %t : (Tensor, (Tensor, Tensor)) = prim::CallMethod[name="forward"](%lstm)
//
// have three each. Empty for a node without any.
std::vector<OutputTensor> OutputTensors(const torch::jit::Node& node);

// What a user calls tensor `position` of OutputTensors(node): "output", "h_n"
// and "c_n" of recurrent layers and cells, ops and modules alike; or the name
// that the op's schema has for it, "indices"; empty where there is none. Of a
// prim::If, what the op calls it that makes it in the first arm.
std::string KnownOutputName(const torch::jit::Node& node, size_t position);

// The name of an output that is counted as `index`, 0 for the first: `known`,
// or where that is empty "output" for the first and the index, "1", for others.
std::string OutputName(std::string known, size_t index);

}  // namespace ns

#endif  // PASSES_ANALYSIS_OP_OUTPUTS_H_
