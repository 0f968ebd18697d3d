// Tells which values no longer hold what their op computed, since an op in
// place has overwritten them.
#ifndef PASSES_MATCHING_OVERWRITTEN_VALUES_H_
#define PASSES_MATCHING_OVERWRITTEN_VALUES_H_

#include <memory>
#include <vector>

#include "ir/aliasing/tensor_writes.h"

namespace torch::jit {
struct Block;
struct Graph;
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// Knows the ops in place of a graph, which must outlive the object and not
// change.
class OverwrittenValues {
 public:
  explicit OverwrittenValues(torch::jit::Graph& graph);
  ~OverwrittenValues();

  // Whether an op may have written to the tensor of `value`, or to a view of
  // it, after it was made and before `place` reads it: in front of `place`, or
  // on an earlier trip of a loop around it.
  bool IsOverwritten(torch::jit::Value* value,
                     const torch::jit::Node& place) const;

  // Whether an op between the beginning of the block of `place` and `place` may
  // have written to it. Earlier trips of a loop do not count, and the op that
  // gives `value` counts if it is there and works in place.
  bool IsOverwrittenInBlock(torch::jit::Value* value,
                            const torch::jit::Node& place) const;

 private:
  // The nodes that write in place, in order of execution.
  std::vector<torch::jit::Node*> writers_;
  // Null when there are no writers.
  std::unique_ptr<TensorWrites> writes_;
};

}  // namespace ns

#endif  // PASSES_MATCHING_OVERWRITTEN_VALUES_H_
