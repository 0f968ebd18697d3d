// Recognises activations that a quantized model leaves out, as the quantized
// range implies them.
#ifndef PASSES_MATCHING_IMPLIED_ACTIVATION_H_
#define PASSES_MATCHING_IMPLIED_ACTIVATION_H_

namespace torch::jit {
struct Node;
}  // namespace torch::jit

namespace ns {

// True for a relu, relu6, hardtanh or clamp whose bounds are constant.
bool IsClamp(const torch::jit::Node& node);

// True when every value that `op` can give stays the same under `activation`, a
// clamp, up to half a step: clipping to the quantized range
// has done its work. With s, z the scale and zero point of the output, the
// range of quint8 is [s (0 - z), s (255 - z)], and that of qint8 [s (-128 - z),
// s (127 - z)]. False where s or z is not constant.
//
//   %y = quantized::conv2d(%x, %packed, 0.0235, 0)   # 0 to 6, as of a relu6
//
// The dtype is that of the quantize node that %x comes from, by the first
// inputs of int8 ops; quint8 where there is none.
bool IsImpliedByRange(const torch::jit::Node& activation,
                      const torch::jit::Node& op);

// True when the quantized range of `op` leaves out what `activation`, a clamp
// after it, takes away: the range is that of the clamp's output, widened to
// include 0, and says nothing of what `op` computes. Other clamps may come in
// between. Otherwise as IsImpliedByRange.
//
//   %y = quantized::layer_norm(%x, ..., 0.02, 0)   # 0 to 5.1
//   %z = aten::relu(%y)
bool HasRangeOf(const torch::jit::Node& op, const torch::jit::Node& activation);

}  // namespace ns

#endif  // PASSES_MATCHING_IMPLIED_ACTIVATION_H_
