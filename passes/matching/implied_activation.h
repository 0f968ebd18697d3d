// Recognises activations that a quantized model leaves out, as the quantized
// range implies them.
#ifndef PASSES_MATCHING_IMPLIED_ACTIVATION_H_
#define PASSES_MATCHING_IMPLIED_ACTIVATION_H_

namespace torch::jit {
struct Node;
}  // namespace torch::jit

namespace ns {

// True when `activation`, a relu, relu6 or hardtanh, changes no value in the
// quantized range of the output of `op`: clipping to the range has done its
// work. With s, z the constant scale and zero point of the output, the range of
// its 8 bits is [s (0 - z), s (255 - z)].
//
//   %y = quantized::conv2d(%x, %packed, 0.0235, 0)   # 0 to 6, as behind a
//   relu6
bool IsImpliedByRange(const torch::jit::Node& activation,
                      const torch::jit::Node& op);

}  // namespace ns

#endif  // PASSES_MATCHING_IMPLIED_ACTIVATION_H_
