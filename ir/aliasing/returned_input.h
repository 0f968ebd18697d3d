// Recognizes ops that may return their input itself, which schemas do not say.
#ifndef IR_ALIASING_RETURNED_INPUT_H_
#define IR_ALIASING_RETURNED_INPUT_H_

namespace torch::jit {
struct Node;
}  // namespace torch::jit

namespace ns {

// Whether `node` may return an input itself, or a view of it, instead of a new
// tensor: aten::type_as where the types are equal, aten::dropout in evaluation.
// LibTorch's analysis of aliases takes the two for different tensors.
bool MayReturnInput(const torch::jit::Node& node);

// Whether it may, that input is a tensor, and something besides `node` may see
// it, so that a write to one of the two can be seen in the other. Not for a
// tensor that an op has made for `node` alone.
bool MayShareReturnedInput(const torch::jit::Node& node);

}  // namespace ns

#endif  // IR_ALIASING_RETURNED_INPUT_H_
