// Tells which ops in place write to which tensors.
#ifndef IR_TENSOR_WRITES_H_
#define IR_TENSOR_WRITES_H_

#include <memory>
#include <unordered_set>
#include <utility>
#include <vector>

namespace torch::jit {
class AliasDb;
struct Block;
struct Graph;
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// Adds to LibTorch's analysis of aliases what that leaves out of loops: what
// one trip carries on is what the next one gets, and a loop without a trip
// returns what it was given.
//
//   %y = prim::Loop(%n, %true, %a)
//     block0(%i, %v):
//       %1 = aten::relu_(%v)      writes to %x, from the second trip on
//       -> (%true, %x)
//   %2 = aten::relu_(%y)          writes to %a where %n is 0
//
// Only tensors that are carried themselves are followed. Those in lists need
// not be: LibTorch takes all tensors that lists hold for one, once an element
// is read. The graph must outlive the object. Values that are newer than the
// object have no writers.
class TensorWrites {
 public:
  explicit TensorWrites(torch::jit::Graph& graph);
  ~TensorWrites();

  // Whether `node` may write to the tensor of `value`, or to a view of it.
  bool MayWrite(torch::jit::Node* node, const torch::jit::Value* value) const;

  // Whether any node may write to it.
  bool HasWriters(const torch::jit::Value* value) const;

 private:
  using Values = std::unordered_set<const torch::jit::Value*>;

  void FollowLoops(torch::jit::Block* block);
  // Returns `value` and the values that it becomes in loops and behind them.
  Values SameTensors(const torch::jit::Value* value) const;

  std::unique_ptr<torch::jit::AliasDb> aliases_;
  // Pairs of a tensor and a value that it may become.
  std::vector<std::pair<const torch::jit::Value*, const torch::jit::Value*>>
      becomes_;
};

}  // namespace ns

#endif  // IR_TENSOR_WRITES_H_
