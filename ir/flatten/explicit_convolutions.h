// Gives convolutions the constant numbers that quantized kernels are packed
// with.
#ifndef IR_FLATTEN_EXPLICIT_CONVOLUTIONS_H_
#define IR_FLATTEN_EXPLICIT_CONVOLUTIONS_H_

namespace torch::jit {
struct Graph;
}  // namespace torch::jit

namespace ns {

// Replaces a padding that is "same" or "valid" by its numbers. That of "same"
// needs a constant weight, whose shape gives it, and a stride of 1: LibTorch
// refuses others when the model runs. Where it is odd, LibTorch adds the zero
// that is left over at the end of each dimension, and so does the graph:
//
//   %y = aten::conv1d(%x, %weight, %bias, %stride, "same", %dilation, %groups)
// becomes, for a kernel of 4,
//   %z = aten::pad(%x, [0, 1], "constant", 0.)
//   %y = aten::conv1d(%z, %weight, %bias, %stride, [1], %dilation, %groups)
//
// aten::_convolution_mode, which tracing writes for them, becomes a convolution
// by name, too.
//
// Where the output padding of a transposed convolution is known only when the
// model runs (nn.ConvTranspose2d called with output_size), computes the largest
// output that its stride allows, with less padding where there is enough, and
// takes the part that was asked for, which holds the same values:
//
//   %y = aten::conv_transpose1d(%x, %weight, %bias, 2, [1], %added, 1, 1)
// becomes
//   %a = aten::conv_transpose1d(%x, %weight, %bias, 2, [0], [0], 1, 1)
//   %y = aten::narrow(%a, -1, 1, size of %a - (2 - %added[0]))
//
// Returns whether any convolution was replaced. Throws what LibTorch throws.
bool MakeConvolutionsExplicit(torch::jit::Graph& graph);

}  // namespace ns

#endif  // IR_FLATTEN_EXPLICIT_CONVOLUTIONS_H_
