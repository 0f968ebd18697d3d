// Finds linear layers that are written as a product of matrices.
#ifndef IR_FLATTEN_LINEAR_OF_ADDMM_H_
#define IR_FLATTEN_LINEAR_OF_ADDMM_H_

namespace torch::jit {
struct Graph;
}  // namespace torch::jit

namespace ns {

// Replaces each aten::addmm of a constant weight and a constant bias, without
// factors, by the linear layer that it is, so that it is matched and quantized
// as one. GPT-2 has such layers (Conv1D of Hugging Face's transformers).
//
//   %y = aten::addmm(%bias, %x, %weight, 1, 1)
// becomes
//   %y = aten::linear(%x, %transposed, %bias)
//
// %transposed is a view of the weight, so that LibTorch calls the same kernel
// on the same memory, and outputs are equal to the bit. The bias has one number
// for each output channel. Returns whether anything was replaced.
bool MakeLinearLayersOfAddmm(torch::jit::Graph& graph);

}  // namespace ns

#endif  // IR_FLATTEN_LINEAR_OF_ADDMM_H_
