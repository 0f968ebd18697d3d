// Replaces the nested tensors of nn.TransformerEncoder by padded ones.
#ifndef IR_FLATTEN_PAD_NESTED_TENSORS_H_
#define IR_FLATTEN_PAD_NESTED_TENSORS_H_

namespace torch::jit {
struct Graph;
}  // namespace torch::jit

namespace ns {

// Lets the layers of nn.TransformerEncoder work on padded batches and a mask,
// where it would take the padding out for them:
//
//   %x : Tensor, %mask : Tensor? = prim::If(%has_padding)
//     block0():
//       %kept : Tensor = aten::logical_not(%padding)
//       %nested : Tensor = aten::_nested_tensor_from_mask(%src, %kept, %false)
//       -> (%nested, %none)
//     block1():
//       -> (%src, %padding)
//   ...
//   %y : Tensor = aten::to_padded_tensor(%layers, %zero, %none)
//
// %src and %padding become the results of the first arm. What pads the result
// becomes the ops that give the same: positions that are padding are set to the
// number, and as many columns stay as the longest sequence has.
//
//   %kept : Tensor = aten::logical_not(%padding)
//   %filled : Tensor = aten::masked_fill(%layers, %masked, %zero)
//   %y : Tensor = aten::slice(%filled, 1, 0, <the longest sequence>, 1)
//
// Nothing changes unless each nested tensor is made and padded in this way, in
// turns. Returns whether anything changed.
bool PadNestedTensors(torch::jit::Graph& graph);

}  // namespace ns

#endif  // IR_FLATTEN_PAD_NESTED_TENSORS_H_
