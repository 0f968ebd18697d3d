// Lists and names the tensors that an op gives: an LSTM gives three, a call of
// a module as many as the tuple that it returns holds.
#ifndef PASSES_ANALYSIS_OP_OUTPUTS_H_
#define PASSES_ANALYSIS_OP_OUTPUTS_H_

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace c10 {
struct Type;
}  // namespace c10

namespace torch::jit {
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// Returns the number of tensors that a value of `type` is known to hold: one
// for a tensor, those of all elements for a tuple, those of the first element
// for a list, whose length only a run tells, and 0 for anything else, optional
// tensors and dicts among them.
size_t CountTensors(const c10::Type& type);

// In the place of a number: all elements of a list, which are not told apart.
inline constexpr size_t kAllElements = std::numeric_limits<size_t>::max();

// Returns how many elements `list`, a list of tensors, has at least, as far as
// the graph tells: how many are unpacked, the highest index of one that is
// read, and how many parts a split with sizes or a chunk makes. At least 1, and
// 1 for a list that ops change after it is made. A run may still find fewer,
// where a chunk has fewer than it is asked for. kAllElements for a list that
// something reads of which the graph does not tell how many elements it gets.
//
//   %l : Tensor[] = aten::unbind(%x, %dim)
//   %a : Tensor, %b : Tensor, %c : Tensor = prim::ListUnpack(%l)      3
//
//   %l : Tensor[] = aten::unbind(%x, %dim)
//   %y : Tensor = aten::cat(%l, %dim)                                 all
size_t CountElements(const torch::jit::Value& list);

// One of the tensors that an op gives.
struct OutputTensor {
  // The output of the op that is the tensor, or holds it.
  torch::jit::Value* value = nullptr;
  // The index of the tensor among those in `value`, counted from 0 in the order
  // of CountTensors; of a list of tensors, the index of the element, or
  // kAllElements. TensorIn (passes/rewrite/tensor_in.h) takes it out.
  size_t place = 0;
};

// Returns all tensors that `node` gives, in order. Each of these nodes has
// three:
//
//   %y : Tensor, %h : Tensor, %c : Tensor = aten::lstm(...)
//   %t : (Tensor, (Tensor, Tensor)) = prim::CallMethod[name="forward"](%lstm)
//   %l : Tensor[] = aten::chunk(%x, %three, %dim)
//
// A list of tensors has its CountElements, and at least `elements` of them: as
// many as are known of its counterpart in another model, say. With kAllElements
// in either, it is one tensor. Empty for a node that gives no tensor.
std::vector<OutputTensor> OutputTensors(const torch::jit::Node& node,
                                        size_t elements = 1);

// Returns the name that users have for tensor `position` of
// OutputTensors(node): that of the op's schema, such as
// "indices", or that of the table of ops, for modules whose class is called
// LSTM, LSTMCell, GRU or RNN, too. An LSTM gives "output", "h_n" and "c_n".
// Empty when there is no name. An output of a prim::If has the name that it has
// in the first arm.
std::string KnownOutputName(const torch::jit::Node& node, size_t position);

// Returns the name of output `index`, counted from 0: `known` or, when that is
// empty, "output" for the first and the index, "1", for others.
std::string OutputName(std::string known, size_t index);

}  // namespace ns

#endif  // PASSES_ANALYSIS_OP_OUTPUTS_H_
