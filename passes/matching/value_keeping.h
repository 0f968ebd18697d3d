// Recognises ops that matching takes for ones that hand their input on.
#ifndef PASSES_MATCHING_VALUE_KEEPING_H_
#define PASSES_MATCHING_VALUE_KEEPING_H_

namespace torch::jit {
struct Node;
}  // namespace torch::jit

namespace ns {

// True for dropouts of all kinds, which do nothing in inference.
bool IsDropout(const torch::jit::Node& node);

// True for ops whose output stands for the same values as their first input, in
// the same shape: aten::to, dequantize ops, aten::clone, detach, contiguous and
// alias, observers and fake quantization (Role::kObserve), and dropouts of all
// kinds, which do nothing in inference. In place or not, the name of the op
// decides, not its arguments: fake quantization, which rounds, is among them,
// and so is an aten::to that casts to integers.
bool KeepsValues(const torch::jit::Node& node);

// True for the same ops and for those that quantize (Role::kQuantize).
bool KeepsOrQuantizesValues(const torch::jit::Node& node);

// True for the same ops and for those that move the elements of their only data
// input (Role::kShape and kTransparent): reshapes, slices, transposes.
bool MovesOrKeepsValues(const torch::jit::Node& node);

}  // namespace ns

#endif  // PASSES_MATCHING_VALUE_KEEPING_H_
