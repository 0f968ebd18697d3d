// Turns attributes that never change into constants, where freezing did not.
#ifndef IR_FOLD_ATTRIBUTES_H_
#define IR_FOLD_ATTRIBUTES_H_

namespace torch::jit {
struct Graph;
struct Module;
}  // namespace torch::jit

namespace ns {

// Replaces every prim::GetAttr of `graph` that reads a tensor, a number, a
// string or packed parameters of `root` or of a module below it, and that no
// prim::SetAttr writes here or in a called method, by a constant:
//
//   %gru = prim::GetAttr[name="gru"](%self)
//   %weight = prim::GetAttr[name="weight_ih_l0"](%gru)
// becomes
//   %self.gru.weight_ih_l0 = prim::Constant[value=<Tensor>]()
//
// Freezing keeps them where it cannot rule out that an op writes to them, as it
// cannot for the parameter lists of traced recurrent layers. What an op writes
// to in place is folded, too, and the write is lost where nothing reads its
// result: what observers keep of what they see goes with it.
void FoldAttributes(const torch::jit::Module& root, torch::jit::Graph& graph);

}  // namespace ns

#endif  // IR_FOLD_ATTRIBUTES_H_
