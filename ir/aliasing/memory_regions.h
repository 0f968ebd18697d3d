// Finds which values of a graph may share memory, by where each one comes from.
#ifndef IR_ALIASING_MEMORY_REGIONS_H_
#define IR_ALIASING_MEMORY_REGIONS_H_

#include <utility>
#include <vector>

#include "llvm/ADT/DenseMap.h"

namespace torch::jit {
struct Block;
struct Graph;
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// Puts values that may share memory into one region. A container has a region
// of its own, and another one for all that it may hold:
//
//   %all = prim::DictConstruct()
//   %1 = aten::_set_item(%all, %key, %x)   writes to %all, not to %x
//   %y = aten::__getitem__(%all, %key)     shares memory with %x
//   %n = prim::GetAttr[name="n"](%self)
//   %2 = aten::add_(%n, %one, %one)        writes to %n, not to %x or %y
//
// LibTorch's AliasDb takes whatever was once in a container or an attribute,
// and all inputs of the graph, for one tensor. Here, each container is
// followed by itself, through control flow, too. Two assumptions remain: all
// attributes of an object may hold the same tensor; inputs of the graph share
// memory neither with one another nor with attributes.
//
// The graph is only read, and answers are about the graph as it was then: newer
// nodes write to nothing and newer values have no writers.
class MemoryRegions {
 public:
  explicit MemoryRegions(const torch::jit::Graph& graph);

  // Whether every node was followed. Where the graph calls a module that was
  // not inlined, or has an op without a schema, the answers below may miss
  // writes.
  bool is_complete() const { return is_complete_; }

  // Whether `node`, or a node in its blocks, may write to memory of `value`.
  // For a container: to the container itself, not to what it holds.
  bool MayWrite(const torch::jit::Node* node,
                const torch::jit::Value* value) const;

  // Whether any node of the graph may do so.
  bool HasWriters(const torch::jit::Value* value) const;

 private:
  class Builder;

  // Returns the region of `value`; -1 for values without memory.
  int RegionOf(const torch::jit::Value* value) const;

  bool is_complete_ = true;
  llvm::DenseMap<const torch::jit::Value*, int> regions_;
  // In order of execution: nodes that write, and the regions that they write
  // to.
  std::vector<std::pair<const torch::jit::Node*, int>> writes_;
};

}  // namespace ns

#endif  // IR_ALIASING_MEMORY_REGIONS_H_
