// Turns attributes that never change into constants where freezing did not.
#ifndef IR_FLATTEN_FOLD_ATTRIBUTES_H_
#define IR_FLATTEN_FOLD_ATTRIBUTES_H_

namespace torch::jit {
struct Graph;
struct Module;
}  // namespace torch::jit

namespace ns {

// Replaces a prim::GetAttr of `graph` by a constant when it reads a tensor, a
// number, a string, None or packed parameters of `root` (the first input of
// `graph`) or of an object below it, and no attribute with its name, or with
// that of an object on the way to it, is written (WrittenAttributes), here or
// in a called method:
//
//   %gru = prim::GetAttr[name="gru"](%self)
//   %weight = prim::GetAttr[name="weight_ih_l0"](%gru)
// becomes
//   %self.gru.weight_ih_l0 = prim::Constant[value=<Tensor>]()
//
// Freezing keeps such attributes where it cannot rule out that an op writes to
// them, as with the parameter lists of traced recurrent layers. Tensors that
// PyTorch's observers write in place do not count as written and are folded:
// once nothing reads the result, the write is dead code, and observing is no
// part of what a model computes. Returns whether any attribute was replaced.
bool FoldAttributes(const torch::jit::Module& root, torch::jit::Graph& graph);

}  // namespace ns

#endif  // IR_FLATTEN_FOLD_ATTRIBUTES_H_
