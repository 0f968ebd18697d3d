// Recognises ops that pass a value on as it is.
#ifndef PASSES_MATCHING_VALUE_KEEPING_H_
#define PASSES_MATCHING_VALUE_KEEPING_H_

namespace torch::jit {
struct Node;
}  // namespace torch::jit

namespace ns {

// True for ops whose output has the values and the shape of their input: casts,
// dequantize, copies, observers, and dropout, which does nothing in inference.
bool KeepsValues(const torch::jit::Node& node);

// True for the same ops and for those that quantize: the values are the same up
// to rounding and clipping.
bool KeepsOrQuantizesValues(const torch::jit::Node& node);

}  // namespace ns

#endif  // PASSES_MATCHING_VALUE_KEEPING_H_
