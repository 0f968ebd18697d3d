// Tells which ops in place write to which tensors.
#ifndef IR_ALIASING_TENSOR_WRITES_H_
#define IR_ALIASING_TENSOR_WRITES_H_

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

class MemoryRegions;

// Adds to LibTorch's analysis of aliases what that leaves out: ops that may
// return their input (ir/aliasing/returned_input.h), and of loops, that what
// one trip carries on is what the next one gets, and that a loop without a trip
// returns what it was given.
//
//   %y = prim::Loop(%n, %true, %a)
//     block0(%i, %v):
//       %1 = aten::relu_(%v)      writes to %x, from the second trip on
//       -> (%true, %x)
//   %2 = aten::relu_(%y)          writes to %a where %n is 0
//
// Tensors and optional tensors that loops carry are followed. Lists, tuples and
// dictionaries that they carry need not be: once an element is read, LibTorch
// assumes that it may be any tensor that some of them holds.
//
// LibTorch also takes for one tensor all that containers, attributes and inputs
// of the graph hold. So a write counts only where MemoryRegions finds it, too,
// if that could follow every node:
//
//   %n = prim::GetAttr[name="n"](%self)
//   %1 = aten::add_(%n, %one, %one)             does not write to the input %x
//
// The graph must outlive the object, and is only read. Answers are about the
// graph as it was then: newer nodes write to nothing and newer values have no
// writers, so make another object after inserting ops that write. Destroy no
// node as long as the object is asked: it keeps pointers to nodes and values.
class TensorWrites {
 public:
  explicit TensorWrites(torch::jit::Graph& graph);
  ~TensorWrites();

  // Whether `node`, or a node in its blocks, may write to memory that `value`
  // may share: its own, that of a view of it, or of what it is a view of.
  // Which of the two runs first does not matter. For a list: to the list
  // itself, as append does, not to its elements.
  bool MayWrite(torch::jit::Node* node, const torch::jit::Value* value) const;

  // Whether any node of the graph may do so.
  bool HasWriters(const torch::jit::Value* value) const;

 private:
  using Values = std::unordered_set<const torch::jit::Value*>;

  void FollowTensors(torch::jit::Block* block);
  // Returns `value` and the values that may be the same tensor.
  Values SameTensors(const torch::jit::Value* value) const;

  std::unique_ptr<torch::jit::AliasDb> aliases_;
  // Null where it could not follow every node.
  std::unique_ptr<MemoryRegions> regions_;
  // Pairs of a tensor and a value that it may become.
  std::vector<std::pair<const torch::jit::Value*, const torch::jit::Value*>>
      becomes_;
};

}  // namespace ns

#endif  // IR_ALIASING_TENSOR_WRITES_H_
